// Runs in the page before any other script.  `__watch.start(root)` looks at `root` once per
// animation frame and notes when anything a reader can see has changed: pictures (a new source, or
// the moment it is decoded), SVG and text.  The sliders' own handles are left out.
(() => {
  if (window.__watch) return;
  const SLIDER = '.widget-slider, .widget-readout, .noUi-target, .widget-button, .jp-OutputPrompt';
  let watched = null;

  const visible = e => e.getClientRects().length > 0;

  function pictures(root) {
    const images = [...root.querySelectorAll('img')].filter(visible);
    const drawn = images.filter(i => i.complete && i.naturalWidth);
    const vectors = [...root.querySelectorAll('svg, canvas')].filter(e => visible(e) && !e.closest(SLIDER));
    // long data: addresses differ in the middle, short blob: addresses as a whole
    const sign = i => `${i.complete}${i.naturalWidth}${i.src.length}` + (i.src.length < 500
      ? i.src : i.src.slice(-200) + i.src.slice(i.src.length >> 1, (i.src.length >> 1) + 200));
    return { count: drawn.length + vectors.length, signature: images.map(sign).join('|') };
  }

  function look(w) {
    const now = performance.now(), p = pictures(w.root);
    w.height = w.root.getBoundingClientRect().height;
    w.lowest = Math.min(w.lowest, w.height);
    w.frames += 1;
    if (!p.count) w.blank += 1;
    if (w.signature !== undefined && (p.signature !== w.signature || w.edits !== w.seen)) w.changes.push(now);
    w.signature = p.signature;
    w.seen = w.edits;
  }

  const onKey = e => { watched.key = e.timeStamp; };
  const onUp = e => { watched.up = e.timeStamp; };

  window.__watch = {
    start(root) {
      this.stop();
      const w = watched = { root, edits: 0, on: true };
      this.reset();
      w.observer = new MutationObserver(records => { for (const r of records) {
        const e = r.target.nodeType === 1 ? r.target : r.target.parentElement;
        if (!e || e.closest(SLIDER)) continue;
        if (r.type === 'attributes' && !e.closest('svg, img')) continue;
        w.edits += 1;
      } });
      w.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      document.addEventListener('keydown', onKey, true);
      document.addEventListener('pointerup', onUp, true);
      const loop = () => { if (w.on) { look(w); requestAnimationFrame(loop); } };
      requestAnimationFrame(loop);
    },
    reset() {
      const w = watched;
      w.height = w.root.getBoundingClientRect().height;
      Object.assign(w, { changes: [], lowest: w.height, blank: 0, frames: 0, key: null, up: null });
    },
    get() {
      const { changes, lowest, height, blank, frames, key, up } = watched;
      return { changes, lowest, height, blank, frames, key, up, now: performance.now() };
    },
    stop() {
      if (!watched) return;
      watched.on = false;
      watched.observer.disconnect();
      document.removeEventListener('keydown', onKey, true);
      document.removeEventListener('pointerup', onUp, true);
      watched = null;
    },
  };
})();
