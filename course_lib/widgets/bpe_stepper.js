// Byte-pair encoding step by step on the reader's own text; bpe_merges.js stands before this.
const MOST_CHARACTERS = 20_000, MOST_WORDS = 40, MOST_BOXES = 300, MOST_PAIRS = 8;
const BEAT = 700, SLICE = 30;               // ms between the merges of Play; of work at one go
const COLOURS = ['0, 114, 178', '230, 159, 0', '0, 158, 115', '204, 121, 167', '86, 180, 233',
  '213, 94, 0'];
const HELP = 'A box without colour is one byte, a coloured box is a token that a merge made. Dashed: '
  + 'the pair that is joined next. Thick frame: just made. ␣ is a space, \\xc3 a byte that is no '
  + 'character by itself. Keys, on any of the buttons: → step, ← back, Home start, End to the end.';

function html(name, className, parent, text = '') {
  const e = document.createElement(name);
  e.className = className;
  e.textContent = text;
  parent?.append(e);
  return e;
}

function box(parent, token, merger) {
  const text = shown(token), e = html('span', 'bpe-box', parent, text);
  e.classList.toggle('bpe-byte', text.startsWith('\\x'));
  if (token.length > 1) {
    const made = merger.madeAt.get(token);
    e.style.background = `rgba(${COLOURS[made % COLOURS.length]}, 0.3)`;
    e.classList.toggle('bpe-new', made === merger.done.length - 1);
  }
  return e;
}

// ---- drawing ----

function drawWord(list, merger, w, room, next) {
  const word = merger.words[w], item = html('li', 'bpe-word', list);
  const boxes = word.slice(0, room).map(token => box(item, token, merger));
  for (let i = 0; i + 1 < boxes.length; i += 1) {
    if (next && word[i] === next.left && word[i + 1] === next.right) {
      boxes[i].classList.add('bpe-next', 'bpe-left');
      boxes[i + 1].classList.add('bpe-next', 'bpe-right');
      i += 1;                                         // a a a: the first two are joined
    }
  }
  if (word.length > room) {
    const rest = word.length - room;
    html('span', 'bpe-more', item, `… and ${counted(rest, 'more box', 'more boxes')}`);
  }
  if (merger.times[w] > 1) html('span', 'bpe-times', item, `×${whole(merger.times[w])}`);
  return boxes.length;
}

function drawWords(list, more, merger, next) {
  list.replaceChildren();
  let w = 0, room = MOST_BOXES;
  while (w < merger.words.length && w < MOST_WORDS && room > 0) {
    room -= drawWord(list, merger, w, room, next);
    w += 1;
  }
  const rest = merger.words.length - w;
  more.textContent = rest ? `and ${counted(rest, 'more distinct word', 'more distinct words')}` : '';
}

function drawPairs(body, more, merger, next) {
  body.replaceChildren();
  for (const [pair, count] of merger.first(MOST_PAIRS)) {
    const row = html('tr', '', body), tokens = html('td', 'bpe-pair', row);
    const boxes = pair.split(BETWEEN).map(token => box(tokens, token, merger));
    const chosen = pair === next.pair;
    if (chosen) boxes.forEach((e, i) => e.classList.add('bpe-next', i ? 'bpe-right' : 'bpe-left'));
    html('td', 'bpe-count', row, whole(count));
    const tie = count === next.count && next.ties > 1;
    html('td', 'bpe-tie', row, (tie ? 'tie' : '') + (chosen && tie ? ', ' : '') + (chosen ? 'next' : ''));
  }
  const rest = merger.counts.size - body.childElementCount;
  const tied = (next?.ties ?? 0) - MOST_PAIRS;
  more.textContent = !next ? 'No pair is left.' : !rest ? ''
    : `and ${counted(rest, 'more pair', 'more pairs')}${tied > 0 ? `, ${whole(tied)} of them in the tie` : ''}`;
}

function drawNumbers(row, { nWords, nTokens, done }) {
  row.replaceChildren();
  const numbers = [['words', whole(nWords)], ['tokens', whole(nTokens)],
    ['tokens per word', nWords ? ratio(nTokens, nWords) : '–'],
    ['vocabulary', `256 bytes + ${counted(done.length, 'merge', 'merges')} = ${whole(256 + done.length)}`]];
  for (const [name, value] of numbers) {
    const cell = html('div', 'bpe-number', row);
    html('span', 'bpe-title', cell, name);
    html('span', 'bpe-value', cell, value);
  }
}

// ---- the text box ----

function lengthIn(text) {                     // in characters, as Python counts them
  let n = 0;
  for (const character of text) n += character.length > 0;
  return n;
}

function textBox(parent, take, refuse) {
  const label = html('label', 'bpe-label', parent,
    `Your text (at most ${whole(MOST_CHARACTERS)} characters)`);
  const area = html('textarea', 'bpe-text', label);
  Object.assign(area, { rows: 2, spellcheck: false, dir: 'auto' });
  let before = '', waiting = null;
  const flush = () => {
    clearTimeout(waiting);
    waiting = null;
    before = area.value;
    take(area.value.replace(/\p{Surrogate}/gu, '\ufffd'));  // half a character: UTF-8 has none
  };
  area.addEventListener('beforeinput', event => {
    const coming = event.data ?? event.dataTransfer?.getData('text/plain') ?? '';
    if (coming.length <= MOST_CHARACTERS / 2) return;  // what is typed is looked at below
    const { value, selectionStart, selectionEnd } = area;
    const length = lengthIn(value.slice(0, selectionStart) + coming + value.slice(selectionEnd));
    if (length <= MOST_CHARACTERS) return;
    event.preventDefault();
    refuse(length);
  });
  area.addEventListener('input', () => {
    const length = lengthIn(area.value);
    if (length > MOST_CHARACTERS) {
      area.value = before;
      refuse(length);
      return;
    }
    before = area.value;
    clearTimeout(waiting);
    waiting = setTimeout(flush, 150);
  });
  area.addEventListener('blur', () => waiting !== null && flush());
  const show = text => { if (area.value !== text) before = area.value = text; };
  return { area, show, pending: () => waiting !== null, stop: () => clearTimeout(waiting) };
}

// ---- moving ----

// Walks to a number of merges, some at a time, so that a long way freezes nothing.
function walker(draw, arrive) {
  let timer = null, merger = null, target = 0;
  const stop = () => { clearTimeout(timer); timer = null; };
  function walk() {
    timer = null;
    const until = performance.now() + SLICE;
    let there = false;
    while (!there && performance.now() < until) {
      if (merger.done.length > target) merger.back();
      else if (merger.done.length === target || !merger.step()) break;
      there = merger.done.length === target;
    }
    there = merger.done.length === target || (merger.done.length < target && !merger.counts.size);
    if (!there) timer = setTimeout(walk, 0);
    draw();
    if (there) arrive();
  }
  const go = (which, n) => { stop(); [merger, target] = [which, n]; walk(); };
  return { go, stop, busy: () => timer !== null };
}

const KEYS = { ArrowRight: 'step', ArrowLeft: 'back', Home: 'start', End: 'end' };

function controls(parent, acts) {
  const row = html('div', 'bpe-controls', parent), buttons = {};
  row.setAttribute('role', 'group');
  row.setAttribute('aria-label', 'merges');
  for (const [act, text] of [['start', 'Start again'], ['back', 'Back'], ['step', 'Step'],
    ['play', 'Play'], ['end', 'To the end'], ['reset', 'Reset text']]) {
    buttons[act] = html('button', `jupyter-button bpe-${act}`, row, text);
    buttons[act].addEventListener('click', () => acts[act]());
  }
  return buttons;
}

function listen(el, area, acts) {
  el.addEventListener('keydown', event => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    // An editor's shortcuts would select, cut or run a cell.
    if (target === area) {
      if (!(ctrlKey || metaKey) || key === 'Enter') event.stopPropagation();
    } else if (/^(Arrow|Home|End| |Enter)/.test(key)) {
      event.stopPropagation();
      if (!KEYS[key] || ctrlKey || metaKey || altKey) return;
      event.preventDefault();
      acts[KEYS[key]]();
    }
  });
}

function panels(el) {
  const both = html('div', 'bpe-panels', el), left = html('div', 'bpe-left-panel', both);
  html('div', 'bpe-title', left, 'words of the text, each distinct one once');
  const words = html('ul', 'bpe-words', left), moreWords = html('p', 'bpe-more', left);
  const right = html('div', 'bpe-right-panel', both), table = html('table', 'bpe-pairs', right);
  html('caption', 'bpe-title', table, 'most frequent pairs');
  const head = html('tr', '', html('thead', '', table));
  for (const name of ['pair', 'times', '']) html('th', '', head, name).scope = 'col';
  const pairs = html('tbody', '', table), morePairs = html('p', 'bpe-more', right);
  return { both, words, moreWords, pairs, morePairs };
}

export default {
  render({ model, el }) {
    el.classList.add('bpe');
    const save = changes => { model.set(changes); model.save_changes(); };
    let merger = null, beat = null, note = '';
    const acts = {}, text = textBox(el, take, refuse), buttons = controls(el, acts);
    const status = html('p', 'bpe-status', el);
    status.setAttribute('role', 'status');
    const notes = html('span', 'bpe-note', status), says = html('span', 'bpe-says', status);
    const numbers = html('div', 'bpe-numbers', el), parts = panels(el);
    html('p', 'bpe-help', el, HELP);
    const walk = walker(draw, arrive);

    function draw() {
      const next = merger.next(), n = merger.done.length, working = walk.busy() || beat !== null;
      drawWords(parts.words, parts.moreWords, merger, next);
      drawPairs(parts.pairs, parts.morePairs, merger, next);
      drawNumbers(numbers, merger);
      const { style, offsetHeight } = parts.both;
      style.minHeight = `${Math.max(parseFloat(style.minHeight) || 0, offsetHeight)}px`;  // no jumps
      status.setAttribute('aria-live', working ? 'off' : 'polite');
      notes.textContent = note;
      says.textContent = sentence(merger);
      buttons.play.textContent = working ? 'Pause' : 'Play';
      for (const [act, off] of [['start', !n], ['back', !n], ['step', !next], ['end', !next],
        ['play', !next && !n]]) buttons[act].setAttribute('aria-disabled', off);
      el.dataset.working = working;                   // for the test
    }

    function arrive() {
      if (beat !== null && !merger.counts.size) { stop(); draw(); }
      // Later: a change made while the model tells of another one is not sent on.
      setTimeout(() => {
        const n = merger.done.length;
        if (!walk.busy() && model.get('n_merges') !== n) save({ n_merges: n });
      }, 0);
    }
    function go(n) { walk.go(merger, n); }
    function stop() { clearInterval(beat); beat = null; walk.stop(); note = ''; }
    function begin() {
      parts.both.style.minHeight = '';
      merger = new Merger(model.get('text'), model.get('pattern'));
    }
    function take(value) { stop(); save({ text: value, n_merges: 0 }); draw(); }
    function refuse(length) {
      stop();
      note = `Not taken: with it the text would have ${whole(length)} characters, more than the `
        + `${whole(MOST_CHARACTERS)} that are taken here; the text stays as it was. `;
      draw();
      arrive();
    }
    function tick() { if (!walk.busy()) go(merger.done.length + 1); }

    acts.start = () => { stop(); go(0); };
    acts.step = () => { stop(); go(merger.done.length + 1); };
    acts.back = () => {
      stop();
      const last = merger.done.at(-1);
      if (last) note = `Merge ${whole(merger.done.length)} undone: “${shown(last.left + last.right)}” is two tokens again. `;
      go(Math.max(0, merger.done.length - 1));
    };
    acts.end = () => { stop(); go(Infinity); };
    acts.reset = () => { stop(); save(model.get('start')); draw(); };
    acts.play = () => {
      const working = walk.busy() || beat !== null;
      stop();
      if (working) { draw(); arrive(); return; }
      if (!merger.counts.size && !merger.done.length) return;
      beat = setInterval(tick, BEAT);
      go(merger.counts.size ? merger.done.length + 1 : 0);   // from the end, once more
    };
    listen(el, text.area, acts);

    function follow() {
      const changed = merger === null || merger.text !== model.get('text');
      if (changed) begin();
      if (!text.pending()) text.show(model.get('text'));
      if (changed || model.get('n_merges') !== merger.done.length) go(model.get('n_merges'));
    }
    model.on('change:text', follow);
    model.on('change:n_merges', follow);
    follow();
    return () => { stop(); text.stop(); };
  },
};
