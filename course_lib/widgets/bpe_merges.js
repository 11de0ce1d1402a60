// Byte-pair encoding that can go forwards and back; goes before bpe_stepper.js.
// A token is a string with one character for each byte, of code byte + 1.  With the character 0
// between its two tokens, a pair is a string too, and strings sort as the tie rule wants it.
const BETWEEN = '\u0000';
const SPACE = '\\p{White_Space}', WORD = '\\P{White_Space}';
const PATTERNS = {
  spaces: new RegExp(`${SPACE}*${WORD}+|${SPACE}+`, 'gu'),
  gpt2: new RegExp("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+"
    + `| ?[^${SPACE}\\p{L}\\p{N}]+|${SPACE}+(?!${WORD})|${SPACE}+`, 'gu'),
  none: /[^]+/gu,
};
const MARKS = { ' ': '␣', '\n': '↵', '\t': '⇥' };
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

const bytesOf = token => Uint8Array.from(token, character => character.charCodeAt(0) - 1);
const tokensOf = word => Array.from(new TextEncoder().encode(word), b => String.fromCharCode(b + 1));

function joined(word, left, right) {
  const made = [];
  for (let i = 0; i < word.length; i += 1) {
    const both = word[i] === left && word[i + 1] === right;
    made.push(both ? left + right : word[i]);
    if (both) i += 1;
  }
  return made;
}

class Merger {
  constructor(text, pattern) {
    this.text = text;
    const times = new Map();
    for (const word of text.match(PATTERNS[pattern]) ?? []) {
      times.set(word, (times.get(word) ?? 0) + 1);
    }
    this.words = [...times.keys()].map(tokensOf);     // every distinct word once
    this.times = [...times.values()];
    this.counts = new Map();                          // of each pair, in the whole text
    this.places = new Map();                          // the words that hold it
    this.done = [];                                   // the merges
    this.madeAt = new Map();                          // which of them made a token
    this.words.forEach((_, w) => this.count(w, 1));
  }

  count(w, sign) {
    const word = this.words[w];
    for (let i = 1; i < word.length; i += 1) {
      const pair = word[i - 1] + BETWEEN + word[i];
      const count = (this.counts.get(pair) ?? 0) + sign * this.times[w];
      if (!this.places.has(pair)) this.places.set(pair, new Set());
      if (sign > 0) this.places.get(pair).add(w);
      else this.places.get(pair).delete(w);
      this.counts.set(pair, count);
      if (!count) {
        this.counts.delete(pair);
        this.places.delete(pair);
      }
    }
  }

  replace(w, word) {
    this.count(w, -1);
    this.words[w] = word;
    this.count(w, 1);
  }

  // The most frequent pair; of several, the one with the greatest bytes.
  next() {
    let best = null, greatest = 0, ties = 0;
    for (const [pair, count] of this.counts) {
      if (count > greatest) [best, greatest, ties] = [pair, count, 1];
      else if (count === greatest) {
        ties += 1;
        if (pair > best) best = pair;
      }
    }
    if (best === null) return null;
    const [left, right] = best.split(BETWEEN);
    return { pair: best, left, right, count: greatest, ties };
  }

  step() {
    const next = this.next();
    if (!next) return false;
    const { left, right } = next;
    for (const w of [...this.places.get(next.pair)]) {
      this.replace(w, joined(this.words[w], left, right));
    }
    this.madeAt.set(left + right, this.done.length);
    this.done.push(next);
    return true;
  }

  // Only one merge makes a token, so splitting it everywhere is that merge undone.
  back() {
    const { left, right } = this.done.pop();
    this.madeAt.delete(left + right);
    this.words.forEach((word, w) => {
      if (!word.includes(left + right)) return;
      this.replace(w, word.flatMap(token => (token === left + right ? [left, right] : [token])));
    });
  }

  first(n) {
    const order = ([a, m], [b, n]) => n - m || (a < b ? 1 : -1);
    return [...this.counts].sort(order).slice(0, n);
  }

  get nWords() { return this.times.reduce((a, b) => a + b, 0); }

  get nTokens() { return this.words.reduce((sum, word, w) => sum + word.length * this.times[w], 0); }
}

// ---- tokens and numbers in words; plots/tokens_shown.py does the same ----

const lengthOf = byte => (byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3
  : byte < 0xf5 ? 4 : 0);

function characterAt(bytes, i) {
  const n = lengthOf(bytes[i]);
  if (!n || i + n > bytes.length) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.slice(i, i + n));
  } catch {
    return null;
  }
}

function shown(token) {
  const bytes = bytesOf(token);
  let text = '', lone = true;                         // whether a combining mark has no letter
  for (let i = 0; i < bytes.length;) {
    const character = characterAt(bytes, i), n = character ? lengthOf(bytes[i]) : 1;
    const seen = character !== null && !UNSEEN.test(character);
    if (seen) text += (lone && /\p{M}/u.test(character) ? '◌' : '') + character;
    else if (MARKS[character]) text += MARKS[character];
    else for (const b of bytes.slice(i, i + n)) text += `\\x${b.toString(16).padStart(2, '0')}`;
    lone = !seen;
    i += n;
  }
  return text;
}

const whole = n => n.toLocaleString('en');
const counted = (n, one, more) => `${whole(n)} ${n === 1 ? one : more}`;
const times = n => (n === 1 ? 'once' : n === 2 ? 'twice' : `${whole(n)} times`);

// Two digits, halves up: in whole numbers, so that Python rounds the same way.
function ratio(a, b) {
  const hundredths = Math.floor((200 * a + b) / (2 * b));
  return `${whole(Math.floor(hundredths / 100))}.${String(hundredths % 100).padStart(2, '0')}`;
}

function sentence(merger) {
  const { nWords, nTokens, done } = merger, last = done.at(-1);
  if (!nWords) return 'There is no text: type some, or paste it.';
  const per = `${ratio(nTokens, nWords)} a word`;
  const size = `the vocabulary has ${whole(256 + done.length)} entries`;
  const end = merger.counts.size ? '' : ' No pair is left: every word is one token.';
  if (!last) {
    return `No merge yet: ${counted(nTokens, 'byte', 'bytes')} in `
      + `${counted(nWords, 'word', 'words')}, ${per}; ${size}, one for each byte.${end}`;
  }
  const tie = last.ties === 1 ? '' : `, as often as ${counted(last.ties - 1, 'other pair',
    'other pairs')}; of these it has the greatest bytes`;
  return `Merge ${whole(done.length)} joined “${shown(last.left)}” and “${shown(last.right)}” into `
    + `“${shown(last.left + last.right)}”: the pair was there ${times(last.count)}${tie}. Now `
    + `${counted(nTokens, 'token', 'tokens')} in ${counted(nWords, 'word', 'words')}, ${per}; `
    + `${size}.${end}`;
}
