// A query among keys in the plane: drag it, and see scores, weights and the weighted value.
// The same numbers are computed in dot_product_by_hand.py; a test compares the two.
const SVG = 'http://www.w3.org/2000/svg';
const Q = '#0072B2', K = '#D55E00', V = '#009E73';
const SIZE = 360;                    // pixels of the query's plane
const STEP = 0.1, LEAP = 0.5;        // one arrow key, with Shift

const HELP = 'Drag the blue tip, or Tab to it and use the arrow keys: Shift takes larger steps, '
  + '+ and \u2212 make the query longer and shorter. Grid lines are 1 apart.';

// ---- the mechanism ----

const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

function attend(query, keys, values, scaled) {
  const scores = keys.map(key => dot(query, key) / (scaled ? Math.SQRT2 : 1));
  const largest = Math.max(...scores);
  const shares = scores.map(score => Math.exp(score - largest));
  const sum = shares.reduce((a, b) => a + b);
  const weights = shares.map(share => share / sum);
  const output = [0, 1].map(axis => weights.reduce((s, w, i) => s + w * values[i][axis], 0));
  return { scores, weights, output };
}

const fixed = x => (Math.abs(x) < 0.005 ? 0 : x).toFixed(2);
const point = p => `(${fixed(p[0])}, ${fixed(p[1])})`;

function sentence(query, words, { scores, weights, output }) {
  const best = weights.indexOf(Math.max(...weights));
  return `The query ${point(query)} gives “${words[best]}” ${Math.round(100 * weights[best])}% of`
    + ` the attention (score ${fixed(scores[best])}); the output is ${point(output)}.`;
}

// ---- drawing ----

function make(name, attributes = {}, parent = null, text = null) {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== null) e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

function html(name, className, parent, text = '') {
  const e = document.createElement(name);
  e.className = className;
  e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

class Plane {
  // A square with both axes from -limit to limit.
  constructor(parent, size, limit, title) {
    const box = html('figure', 'qk-plane', parent);
    html('figcaption', 'qk-title', box, title);
    this.size = size;
    this.limit = limit;
    this.svg = make('svg', { viewBox: `0 0 ${size} ${size}`, width: size, height: size }, box);
    for (let i = Math.ceil(-limit); i <= limit; i += 1) this.gridLine(i);
  }

  x(value) { return (value / this.limit + 1) * this.size / 2; }

  y(value) { return (1 - value / this.limit) * this.size / 2; }

  gridLine(i) {
    const style = { stroke: 'currentColor', 'stroke-opacity': i ? 0.13 : 0.5 };
    make('line', { x1: this.x(i), x2: this.x(i), y1: 0, y2: this.size, ...style }, this.svg);
    make('line', { y1: this.y(i), y2: this.y(i), x1: 0, x2: this.size, ...style }, this.svg);
  }

  arrow(colour, width) {
    return make('path', { stroke: colour, fill: colour, 'stroke-width': width,
      'stroke-linejoin': 'round' }, this.svg);
  }

  point(path, [vx, vy], gap = 0) {
    const [x0, y0, tx, ty] = [this.x(0), this.y(0), this.x(vx), this.y(vy)];
    const length = Math.hypot(tx - x0, ty - y0) || 1e-9;
    const [ux, uy] = [(tx - x0) / length, (ty - y0) / length];
    const drawn = Math.max(0, length - gap), head = Math.min(11, drawn);
    const [x1, y1] = [x0 + drawn * ux, y0 + drawn * uy];
    const [bx, by] = [x1 - head * ux, y1 - head * uy];
    path.setAttribute('d', `M${x0},${y0}L${bx},${by}M${x1},${y1}L${bx - 4.5 * uy},${by + 4.5 * ux}`
      + `L${bx + 4.5 * uy},${by - 4.5 * ux}Z`);
  }

  word(text, at) {
    return this.place(make('text', { class: 'qk-word' }, this.svg, text), at, 9);
  }

  // Words stand outside the arrow's tip: above it in the upper half, below it in the lower.
  place(text, [vx, vy], away) {
    text.setAttribute('x', this.x(vx) + (vx < 0 ? -12 : 12));
    text.setAttribute('y', this.y(vy) + (vy < 0 ? away + 9 : -away));
    text.setAttribute('text-anchor', 'middle');
    return text;
  }

  // From the page's pixels to the plane, also when the picture is shown smaller than it is.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const [px, py] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    return [(2 * px - 1) * this.limit, (1 - 2 * py) * this.limit];
  }
}

function table(parent, words) {
  const grid = html('div', 'qk-table', parent);
  for (const title of ['key', 'score', '', 'share', '']) html('div', 'qk-title', grid, title);
  return words.map(word => {
    html('div', 'qk-word', grid, word);
    const bar = () => html('div', '', html('div', 'qk-track', grid));
    const score = bar(), scoreText = html('div', 'qk-number', grid);
    const weight = bar(), weightText = html('div', 'qk-number', grid);
    score.parentNode.classList.add('qk-signed');
    return { score, scoreText, weight, weightText };
  });
}

function fill(row, score, weight, widest) {
  const share = 50 * Math.min(1, Math.abs(score) / widest);
  row.score.style.cssText = `width:${share}%; margin-left:${score < 0 ? 50 - share : 50}%`;
  row.weight.style.cssText = `width:${100 * weight}%`;
  row.scoreText.textContent = fixed(score);
  row.weightText.textContent = `${Math.round(100 * weight)}%`;
  row.score.dataset.value = score;       // every digit, for the test
  row.weight.dataset.value = weight;
}

// ---- moving ----

function addTip(plane) {
  const tip = make('circle', { r: 9, fill: Q, class: 'qk-tip', tabindex: 0, role: 'slider',
    'aria-label': 'query', 'aria-roledescription': 'slider in two directions',
    'aria-valuemin': -plane.limit, 'aria-valuemax': plane.limit }, plane.svg);
  const label = make('text', { class: 'qk-word qk-query' }, plane.svg, 'query');
  return { tip, label };
}

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function afterKey(event, [x, y]) {
  const step = event.shiftKey ? LEAP : STEP;
  if (KEYS[event.key]) return [x + step * KEYS[event.key][0], y + step * KEYS[event.key][1]];
  const longer = { '+': 1.1, '=': 1.1, '-': 1 / 1.1 }[event.key];
  return longer ? [x * longer, y * longer] : null;
}

function listen(plane, tip, model, move) {
  tip.addEventListener('keydown', event => {
    const target = afterKey(event, model.get('query'));
    if (!target) return;
    event.preventDefault();
    event.stopPropagation();   // JupyterLab's command mode would select another cell
    move(target);
  });
  const drag = event => move(plane.at(event));
  plane.svg.addEventListener('pointerdown', event => {
    event.preventDefault();    // no text selection; the focus goes to the tip instead
    plane.svg.setPointerCapture(event.pointerId);
    plane.svg.addEventListener('pointermove', drag);
    tip.focus({ preventScroll: true });
    drag(event);
  });
  for (const end of ['pointerup', 'pointercancel']) {
    plane.svg.addEventListener(end, () => plane.svg.removeEventListener('pointermove', drag));
  }
}

function controls(parent, model, start) {
  const row = html('div', 'qk-controls', parent);
  const label = html('label', '', row);
  const box = html('input', '', label);
  box.type = 'checkbox';
  label.append(' divide the scores by √d (d = 2)');
  const reset = html('button', 'jupyter-button qk-reset', row, 'Reset');
  const save = changes => { model.set(changes); model.save_changes(); };
  box.addEventListener('change', () => save({ scaled: box.checked }));
  reset.addEventListener('click', () => save(start));
  return box;
}

export default {
  render({ model, el }) {
    const words = model.get('words'), keys = model.get('key_vectors');
    const values = model.get('value_vectors'), limit = model.get('limit');
    el.classList.add('qk');
    const box = controls(el, model, { query: model.get('start'), scaled: model.get('start_scaled') });
    const panels = html('div', 'qk-panels', el);
    const left = new Plane(panels, SIZE, limit, 'query and keys');
    const column = html('div', '', panels), rows = table(column, words);
    const right = new Plane(column, 0.65 * SIZE, limit, 'values and output (bold)');
    keys.forEach((key, i) => { left.point(left.arrow(K, 2.5), key); left.word(words[i], key); });
    const queryArrow = left.arrow(Q, 3.5), { tip, label } = addTip(left);
    const valueArrows = values.map((value, i) => {
      const arrow = right.arrow(V, 2.5);
      right.point(arrow, value);
      return [arrow, right.word(words[i], value)];
    });
    const outputArrow = right.arrow('currentColor', 4);
    const status = html('p', 'qk-status', el);
    status.setAttribute('role', 'status');
    status.setAttribute('aria-live', 'polite');
    html('p', 'qk-help', el, HELP);
    const widest = Math.max(...keys.map(([x, y]) => limit * (Math.abs(x) + Math.abs(y))));

    function draw() {
      const query = model.get('query'), result = attend(query, keys, values, model.get('scaled'));
      box.checked = model.get('scaled');
      left.point(queryArrow, query, 9);   // up to the edge of the tip
      const [x, y] = [left.x(query[0]), left.y(query[1])];
      tip.setAttribute('cx', x);
      tip.setAttribute('cy', y);
      tip.setAttribute('aria-valuenow', query[0]);
      tip.setAttribute('aria-valuetext', point(query));
      const inside = (q, edge) => Math.max(-edge * limit, Math.min(edge * limit, q));
      left.place(label, [inside(query[0], 0.75), inside(query[1], 0.85)], 15);
      rows.forEach((row, i) => fill(row, result.scores[i], result.weights[i], widest));
      valueArrows.forEach(([arrow, word], i) => {
        arrow.setAttribute('opacity', 0.4 + 0.6 * result.weights[i]);
        word.setAttribute('opacity', 0.8 + 0.2 * result.weights[i]);
      });
      right.point(outputArrow, result.output);
      outputArrow.dataset.value = JSON.stringify(result.output);
      status.textContent = sentence(query, words, result);
      const text = `Query among keys. ${status.textContent}`;
      left.svg.setAttribute('aria-label', text);
      right.svg.setAttribute('aria-label', `Weighted value ${point(result.output)}`);
      right.svg.setAttribute('role', 'img');
    }

    function move(target) {
      const hold = v => Math.round(100 * Math.max(-limit, Math.min(limit, v))) / 100;
      model.set('query', target.map(hold));
      model.save_changes();
    }

    listen(left, tip, model, move);
    model.on('change:query', draw);
    model.on('change:scaled', draw);
    draw();
  },
};
