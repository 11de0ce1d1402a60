// A mask to paint: who may read whom, what softmax makes of it, and who can know what.
// The same numbers are computed in mask_painter.py; a test compares the two.
const SVG = 'http://www.w3.org/2000/svg';
const KNOWN = '#009E73';
const COLUMN = 40, LEVEL = 44, LEFT = 62;   // pixels of the picture on the right
const MOST_LAYERS = 4;

const HELP = 'Click a cell, or drag over several: a query (row) may read a key (column) where the '
  + 'cell is blue. By keyboard: Tab to the grid, arrow keys to move, Space to change a cell. '
  + 'The row you are in is the chosen token.';

// ---- the mechanism ----

function softmax(scores, visible) {
  const seen = scores.filter((_, j) => visible[j]);
  const largest = Math.max(...seen);
  const e = scores.map((score, j) => (visible[j] ? Math.exp(score - largest) : 0));
  const sum = e.reduce((a, b) => a + b);
  return e.map(x => (seen.length ? x / sum : NaN));
}

// levels[l]: what the chosen token's output can draw on after l of the layers; 0 is the input.
function levelsOf(visible, chosen, layers) {
  const levels = [visible.map((_, i) => i === chosen)];
  for (let l = 0; l < layers; l += 1) {
    const above = levels[0];
    levels.unshift(above.map((on, j) => on || above.some((up, i) => up && visible[i][j])));
  }
  return levels;
}

// One layer after a row without a key has become NaN, it is in every sum: 0 times NaN is NaN.
function isNaNAt(visible, level, i) {
  const empty = visible.map(row => !row.some(Boolean));
  return level >= 1 && (empty[i] || (level >= 2 && empty.some(Boolean)));
}

const percent = share => `${Math.round(100 * share)}%`;
const layersInWords = n => (n === 1 ? '1 layer' : `${n} layers`);

function sentence({ words, shares, levels, chosen, visible }) {
  const name = `“${words[chosen]}”`, layers = levels.length - 1;
  if (Number.isNaN(shares[chosen][0])) {
    return `${name} may read nothing: its shares are NaN, for −∞ − (−∞) has no answer.`;
  }
  const read = words.map((word, j) => `${word} ${percent(shares[chosen][j])}`)
    .filter((_, j) => visible[chosen][j]);
  const known = words.filter((_, j) => levels[0][j]);
  const end = isNaNAt(visible, layers, chosen)
    ? 'it is NaN, because a row of the mask is empty.'
    : `it can know ${known.length} of ${words.length}: ${known.join(', ')}.`;
  return `${name} reads ${read.join(', ')}. After ${layersInWords(layers)} ${end}`;
}

// ---- drawing ----

function html(name, className, parent, text = '') {
  const e = document.createElement(name);
  e.className = className;
  e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

function make(name, attributes, parent, text = null) {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== null) e.textContent = text;
  parent.append(e);
  return e;
}

// A table of cells with the words along both sides; gives the row heads and the cells.
function grid(parent, title, words, kind) {
  const box = html('div', 'mp-panel', parent);
  html('div', 'mp-title', box, title);
  const table = html('div', 'mp-grid', box);
  table.style.gridTemplateColumns = `auto repeat(${words.length}, minmax(0, 40px))`;
  html('div', 'mp-word', table);
  for (const word of words) html('div', 'mp-word', table, word);
  const heads = [], cells = words.map(word => {
    heads.push(html('div', 'mp-word mp-head', table, word));
    return words.map(() => html(kind, 'mp-cell', table));
  });
  return { table, heads, cells };
}

function showScores(cell, score, on) {
  cell.textContent = on ? score.toFixed(1).replace('-', '\u2212') : '\u2212∞';
  cell.style.background = on ? 'rgba(0, 114, 178, 0.45)' : '';
  cell.setAttribute('aria-pressed', on);
}

function showShare(cell, share) {
  const none = Number.isNaN(share);
  cell.textContent = none ? 'NaN' : share ? percent(share) : '0';
  cell.style.background = share > 0 ? `rgba(204, 121, 167, ${0.6 * share})` : '';
  cell.classList.toggle('mp-nan', none);
  cell.dataset.value = share;             // every digit, for the test
}

// The chosen token at the top, the words at the bottom, and the ways from one to the other.
function drawWays(svg, { words, levels, chosen, visible }) {
  svg.replaceChildren();
  const layers = levels.length - 1, n = words.length;
  const [width, height] = [LEFT + n * COLUMN, (layers + 1) * LEVEL + 26];
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('width', width);
  svg.setAttribute('height', height);
  const x = j => LEFT + (j + 0.5) * COLUMN, y = l => 20 + (layers - l) * LEVEL;
  for (let l = 1; l <= layers; l += 1) {
    levels[l].forEach((on, i) => on && words.forEach((_, j) => {
      if (!visible[i][j] && i !== j) return;
      make('line', { x1: x(i), y1: y(l), x2: x(j), y2: y(l - 1), class: 'mp-way',
        'stroke-dasharray': visible[i][j] ? 'none' : '3 4' }, svg);
    }));
  }
  levels.forEach((row, l) => {
    make('text', { x: 0, y: y(l) + 5, class: 'mp-text' }, svg, l ? `layer ${l}` : 'input');
    row.forEach((on, i) => drawNode(svg, x(i), y(l), on, isNaNAt(visible, l, i), l === layers
      && i === chosen));
  });
  words.forEach((word, j) => make('text', { x: x(j), y: y(0) + 28, class: 'mp-text',
    'text-anchor': 'middle' }, svg, word));
}

function drawNode(svg, cx, cy, on, nan, ring) {
  if (ring) make('circle', { cx, cy, r: 13, class: 'mp-ring' }, svg);
  if (nan) {
    make('rect', { x: cx - 15, y: cy - 9, width: 30, height: 18, class: 'mp-behind' }, svg);
    make('text', { x: cx, y: cy + 5, class: 'mp-text', 'text-anchor': 'middle' }, svg, 'NaN');
  } else {
    make('circle', { cx, cy, r: on ? 8 : 4, class: on ? '' : 'mp-off', fill: on ? KNOWN : 'none' },
      svg);
  }
}

// ---- painting ----

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function listen({ table, heads, cells }, model, save) {
  const paint = (i, j, on) => {
    const visible = model.get('visible').map(row => [...row]);
    visible[i][j] = on;
    save({ visible, chosen: i });
  };
  const change = (i, j) => paint(i, j, !model.get('visible')[i][j]);
  let painting = null;                    // what a drag paints, or null
  const stop = () => { painting = null; };
  window.addEventListener('pointerup', stop);
  heads.forEach((head, i) => head.addEventListener('click', () => save({ chosen: i })));
  cells.forEach((row, i) => row.forEach((cell, j) => {
    cell.addEventListener('pointerdown', event => {
      if (event.button) return;
      painting = !model.get('visible')[i][j];
      if (cell.hasPointerCapture(event.pointerId)) cell.releasePointerCapture(event.pointerId);
      paint(i, j, painting);
    });
    cell.addEventListener('pointerenter', () => painting !== null && paint(i, j, painting));
    // A click of the mouse has painted already; one of Space or Enter has detail 0.
    cell.addEventListener('click', event => event.detail === 0 && change(i, j));
    cell.addEventListener('focus', () => {
      rove(cells, cell);
      save({ chosen: i });
    });
    cell.addEventListener('keydown', event => {
      const move = MOVES[event.key];
      if (!move) return;
      event.preventDefault();
      cells[i + move[0]]?.[j + move[1]]?.focus();
    });
  }));
  rove(cells, cells[0][0]);
  return () => window.removeEventListener('pointerup', stop);
}

// Tab enters the grid at one cell, where it was left.
function rove(cells, current) {
  for (const cell of cells.flat()) cell.tabIndex = cell === current ? 0 : -1;
}

function controls(parent, model, save) {
  const row = html('div', 'mp-controls', parent);
  const presets = Object.entries(model.get('presets')).map(([name, visible]) => {
    const button = html('button', 'jupyter-button mp-preset', row, name);
    button.addEventListener('click', () => save({ visible }));
    return [button, JSON.stringify(visible)];
  });
  html('span', 'mp-layers', row, 'layers:');
  const layers = Array.from({ length: MOST_LAYERS }, (_, i) => {
    const button = html('button', 'jupyter-button mp-layer', row, i + 1);
    button.setAttribute('aria-label', layersInWords(i + 1));
    button.addEventListener('click', () => save({ layers: i + 1 }));
    return button;
  });
  html('button', 'jupyter-button mp-reset', row, 'Reset')
    .addEventListener('click', () => save(model.get('start')));
  return () => {
    const now = JSON.stringify(model.get('visible'));
    for (const [button, own] of presets) button.setAttribute('aria-pressed', own === now);
    layers.forEach((one, i) => one.setAttribute('aria-pressed', i + 1 === model.get('layers')));
  };
}

export default {
  render({ model, el }) {
    const words = model.get('words'), scores = model.get('scores');
    const save = changes => { model.set(changes); model.save_changes(); };
    el.classList.add('mp');
    // They are the widget's own here; an editor's shortcuts would select or edit a cell.
    el.addEventListener('keydown', event => {
      if (event.key.startsWith('Arrow') || event.key === ' ' || event.key === 'Enter') {
        event.stopPropagation();
      }
    });
    const showControls = controls(el, model, save);
    const panels = html('div', 'mp-panels', el);
    const mask = grid(panels, 'score + mask', words, 'button');
    mask.table.setAttribute('role', 'group');
    mask.table.setAttribute('aria-label', 'the mask: a row for each query, a column for each key');
    const result = grid(panels, 'share of the attention', words, 'div');
    result.table.setAttribute('aria-hidden', true);   // the cells of the mask say it
    const last = html('div', 'mp-panel', panels);
    const title = html('div', 'mp-title', last);
    const svg = make('svg', { role: 'img' }, last);
    const status = html('p', 'mp-status', el);
    status.setAttribute('role', 'status');
    status.setAttribute('aria-live', 'polite');
    html('p', 'mp-help', el, HELP);

    function draw() {
      const visible = model.get('visible'), chosen = model.get('chosen');
      const shares = scores.map((row, i) => softmax(row, visible[i]));
      const levels = levelsOf(visible, chosen, model.get('layers'));
      const state = { words, shares, levels, chosen, visible };
      showControls();
      visible.forEach((row, i) => row.forEach((on, j) => {
        const cell = mask.cells[i][j], share = shares[i][j];
        showScores(cell, scores[i][j], on);
        showShare(result.cells[i][j], share);
        const says = on ? `may be read, share ${percent(share)}` : 'hidden';
        cell.setAttribute('aria-label', `${words[i]} reads ${words[j]}: ${says}`);
        for (const one of [cell, result.cells[i][j]]) one.classList.toggle('mp-chosen', i === chosen);
      }));
      for (const { heads } of [mask, result]) {
        heads.forEach((head, i) => head.classList.toggle('mp-bold', i === chosen));
      }
      title.textContent = `what “${words[chosen]}” can know`;
      drawWays(svg, state);
      status.textContent = sentence(state);
      svg.setAttribute('aria-label', status.textContent);
      svg.dataset.known = JSON.stringify(levels[0]);
    }

    const clean = listen(mask, model, save);
    for (const name of ['visible', 'chosen', 'layers']) model.on(`change:${name}`, draw);
    draw();
    return clean;
  },
};
