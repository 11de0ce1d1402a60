// Whom each token of a text reads, in every layer and head.  All shares are here; Python is asked
// for another text only.  What is said is computed in attention_explorer.py too; a test compares.
const SVG = 'http://www.w3.org/2000/svg';
const ROW = 20, LEFT = 140, RIGHT = 330, WIDTH = 470, TOP = 26, CELL = 12;   // pixels
const FAINTEST = 0.02, MEAN = -1;
// Cividis at eight places, from 0 to 1.
const CIVIDIS = [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [195, 179, 105], [254, 232, 56]];
const HELP = 'Point at a token on the left, click it, or Tab to it and use the arrow keys. Strong '
  + 'lines are what it reads, faint ones what the others read. Another text is read when you press '
  + 'Enter.';

function html(name, className, parent, text = '') {
  const e = document.createElement(name);
  e.className = className;
  e.textContent = text;
  parent?.append(e);
  return e;
}

function make(name, attributes, parent, text = null) {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== null) e.textContent = text;
  parent.append(e);
  return e;
}

// ---- the numbers ----

function rowsOf(model) {
  const [layers, heads, n] = model.get('shape'), view = model.get('shares');
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const written = model.get('written') ? 1 : 0, head = model.get('head');
  const at = (h, i, j) => bytes[(((written * layers + model.get('layer')) * heads + h) * n + i) * n + j];
  const share = (i, j) => {
    if (head !== MEAN) return at(head, i, j) / 255;
    let sum = 0;
    for (let h = 0; h < heads; h += 1) sum += at(h, i, j);
    return sum / 255 / heads;
  };
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => share(i, j)));
}

const percent = share => `${Math.floor(100 * share + 0.5)}%`;

function sentence(model, rows) {
  const tokens = model.get('tokens'), query = model.get('query'), head = model.get('head');
  const row = rows[query], order = row.map((_, j) => j).sort((a, b) => row[b] - row[a]);
  const told = order.slice(0, 3).map(j => `“${tokens[j]}” ${percent(row[j])}`).join(', ');
  const where = head === MEAN ? 'mean of all heads' : `head ${head + 1}`;
  const verb = model.get('written') ? 'is written from' : 'reads';
  return `Layer ${model.get('layer') + 1}, ${where}: “${tokens[query]}” ${verb} ${told}.`;
}

function colour(share) {
  const x = Math.min(1, Math.max(0, share)) * (CIVIDIS.length - 1), low = Math.min(Math.floor(x), 6);
  const mix = CIVIDIS[low].map((c, k) => Math.round(c + (x - low) * (CIVIDIS[low + 1][k] - c)));
  return `rgb(${mix.join(',')})`;
}

// ---- drawing ----

const y = i => TOP + (i + 0.5) * ROW;

function drawTokens(svg, tokens, choose) {
  const height = TOP + tokens.length * ROW + 4;
  svg.replaceChildren();
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${height}`);
  svg.setAttribute('width', WIDTH);
  svg.setAttribute('height', height);
  const lines = make('g', {}, svg);
  make('text', { x: LEFT - 6, y: 14, class: 'ax-head', 'text-anchor': 'end' }, svg, 'query');
  make('text', { x: RIGHT + 6, y: 14, class: 'ax-head' }, svg, 'key');
  const queries = tokens.map((token, i) => {
    const text = make('text', { x: LEFT - 6, y: y(i) + 5, class: 'ax-token ax-query',
      'text-anchor': 'end', role: 'button' }, svg, token);
    for (const event of ['mouseenter', 'focus', 'click']) text.addEventListener(event, () => choose(i));
    return text;
  });
  tokens.forEach((token, j) => make('text', { x: RIGHT + 6, y: y(j) + 5, class: 'ax-token' }, svg, token));
  return { lines, queries };
}

function drawLines(lines, rows, query) {
  lines.replaceChildren();
  rows.forEach((row, i) => row.forEach((share, j) => {
    if (share < FAINTEST) return;
    make('line', { x1: LEFT, y1: y(i), x2: RIGHT, y2: y(j), class: 'ax-line',
      'stroke-width': 1 + 3 * share, 'stroke-opacity': i === query ? share : 0.25 * share }, lines);
  }));
}

function drawMap(svg, rows, query) {
  const n = rows.length, size = n * CELL;
  svg.replaceChildren();
  svg.setAttribute('viewBox', `-2 0 ${size + 4} ${TOP + size + 4}`);
  svg.setAttribute('width', size + 4);
  svg.setAttribute('height', TOP + size + 4);
  make('text', { x: 0, y: 14, class: 'ax-head' }, svg, 'rows ask; light is 1');
  rows.forEach((row, i) => row.forEach((share, j) => make('rect', { x: j * CELL, y: TOP + i * CELL,
    width: CELL, height: CELL, fill: colour(share) }, svg)));
  make('rect', { x: 0, y: TOP + query * CELL, width: size, height: CELL, class: 'ax-frame' }, svg);
}

// ---- controls ----

function slider(parent, name, lowest, highest, show, change) {
  const label = html('label', '', parent, name), input = html('input', '', label);
  Object.assign(input, { type: 'range', min: lowest, max: highest, step: 1 });
  input.setAttribute('aria-label', name);
  const output = html('output', '', label);
  input.addEventListener('input', () => change(Number(input.value)));
  return value => {
    input.value = value;
    output.textContent = show(value);
    input.setAttribute('aria-valuetext', show(value));
  };
}

function controls(el, model, save, reset) {
  const [layers, heads] = model.get('shape');
  const first = html('div', 'ax-controls', el), second = html('div', 'ax-controls', el);
  const label = html('label', '', first, 'text'), text = html('input', 'ax-text', label);
  label.style.flex = '1 1 auto';
  Object.assign(text, { type: 'text', spellcheck: false, dir: 'auto' });
  text.addEventListener('change', () => save({ text: text.value }));
  html('button', 'jupyter-button ax-reset', first, 'Reset')
    .addEventListener('click', reset);
  const number = k => `${k + 1} of `;
  const layer = slider(second, 'layer', 0, layers - 1, k => number(k) + layers, v => save({ layer: v }));
  const head = slider(second, 'head', MEAN, heads - 1, k => (k === MEAN ? 'mean' : number(k) + heads),
    v => save({ head: v }));
  const kinds = [['attention', false], ['attention × length', true]].map(([name, written]) => {
    const button = html('button', 'jupyter-button ax-kind', second, name);
    button.addEventListener('click', () => save({ written }));
    return [button, written];
  });
  return () => {
    if (document.activeElement !== text) text.value = model.get('text');
    layer(model.get('layer'));
    head(model.get('head'));
    for (const [button, written] of kinds) button.setAttribute('aria-pressed', written === model.get('written'));
  };
}

function listen(el, queries, model) {
  const move = { ArrowDown: 1, ArrowUp: -1 };
  const press = event => {
    // They are the widget's own here; an editor's shortcuts would select, edit or run a cell.
    if (/^(Arrow|Home|End|Page| |Enter)/.test(event.key) || event.target.tagName === 'INPUT') {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    }
    if (!event.target.classList.contains('ax-query')) return;
    const next = { Home: 0, End: queries().length - 1 }[event.key] ?? model.get('query') + (move[event.key] ?? 0);
    if (!(event.key in move) && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    queries()[next]?.focus();
  };
  el.addEventListener('keydown', press);
  return () => el.removeEventListener('keydown', press);
}

export default {
  render({ model, el }) {
    const save = changes => { model.set(changes); model.save_changes(); };
    el.classList.add('ax');
    let parts = null, rows = null, waiting = null;
    // The place in the first text means nothing before that text is back.
    const reset = () => {
      const { text, ...place } = model.get('start');
      if (text === model.get('text')) { save(place); return; }
      waiting = place;
      save({ text });
    };
    const arrive = () => {
      const place = waiting;
      waiting = null;
      // Later: a change made while the model tells of another one is not sent on.
      if (place) setTimeout(() => save(place), 0);
    };
    const showControls = controls(el, model, save, reset);
    const panels = html('div', 'ax-panels', el);
    const ways = make('svg', { role: 'group', 'aria-label': 'tokens that read' }, panels);
    const map = make('svg', { role: 'img' }, panels);
    const status = html('p', 'ax-status', el);
    status.setAttribute('role', 'status');
    status.setAttribute('aria-live', 'polite');
    const problem = html('p', 'ax-status ax-problem', el);
    problem.setAttribute('role', 'alert');
    html('p', 'ax-help', el, HELP);

    function build() {
      parts = drawTokens(ways, model.get('tokens'), query => {
        if (model.get('query') !== query) save({ query });
      });
      look();
    }
    function look() {
      rows = rowsOf(model);
      draw();
    }
    function draw() {
      const query = model.get('query'), says = sentence(model, rows);
      showControls();
      drawLines(parts.lines, rows, query);
      drawMap(map, rows, query);
      parts.queries.forEach((text, i) => {
        text.setAttribute('tabindex', i === query ? 0 : -1);
        text.setAttribute('aria-pressed', i === query);
        text.classList.toggle('ax-chosen', i === query);
      });
      status.textContent = says;
      map.setAttribute('aria-label', says);
      problem.textContent = model.get('problem');
      el.dataset.shares = JSON.stringify(rows[query]);        // every digit, for the test
    }

    const clean = listen(el, () => parts.queries, model);
    model.on('change:shares', build);
    model.on('change:answered', arrive);                    // another text may have equal shares
    for (const name of ['layer', 'head', 'written']) model.on(`change:${name}`, look);
    for (const name of ['query', 'problem', 'text']) model.on(`change:${name}`, draw);
    build();
    return clean;
  },
};
