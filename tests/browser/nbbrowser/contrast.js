// Contrast of text against what lies behind it, after WCAG 2; `selector` picks the elements.
selector => {
  const parse = text => { const n = text.match(/[\d.]+/g).map(Number); return [...n.slice(0, 3), n[3] ?? 1]; };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
  const light = colour => colour.map(c => c / 255)
    .map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const background = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const seen = e => e.getClientRects().length && e.textContent.trim();
  return [...document.querySelectorAll(selector)].filter(seen).map(e => {
    const style = getComputedStyle(e), behind = background(e);
    const text = parse(e instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(over(text, behind)), light(behind)];
    return [e.textContent.trim().slice(0, 40), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}
