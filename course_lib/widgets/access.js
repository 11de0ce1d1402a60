// ipywidgets give their slider handles no accessible name, speak of a chosen number as its place in
// the list, give pictures no alternative text, and replace a sentence in a way that screen readers
// miss; and JupyterLab takes the arrow keys away from radio buttons.  This invisible helper mends
// all that inside one `course-widget`.
const SLIDER = '.noUi-handle[role=slider]';

function nameSliders(root) {
  for (const handle of root.querySelectorAll(SLIDER)) {
    const row = handle.closest('.widget-inline-hbox');
    const label = row?.querySelector('.widget-label'), readout = row?.querySelector('.widget-readout');
    if (label) handle.setAttribute('aria-label', label.textContent);
    if (readout && !handle.dataset.speaks) {
      handle.dataset.speaks = 'readout';
      const speak = () => handle.setAttribute('aria-valuetext', readout.textContent);
      new MutationObserver(speak).observe(readout, { childList: true, characterData: true, subtree: true });
      speak();
    }
  }
}

function describePicture(root, sentence) {
  const image = root.querySelector('img');
  if (image) image.alt = sentence;
}

function announceCaptions(root, announce) {
  for (const caption of root.querySelectorAll('.course-caption')) {
    if (announce) caption.setAttribute('role', 'status');
    caption.setAttribute('aria-live', announce ? 'polite' : 'off');
  }
}

// In command mode JupyterLab would select the next cell.
function keepArrows(root) {
  if (root.dataset.keepsArrows) return;
  root.dataset.keepsArrows = 'yes';
  root.addEventListener('keydown', event => {
    if (event.key.startsWith('Arrow') && event.target.type === 'radio') event.stopPropagation();
  });
}

export default {
  render({ model, el }) {
    let tries = 0;
    const mend = () => {
      const root = el.closest('.course-widget');
      if (root) {
        nameSliders(root);
        describePicture(root, model.get('sentence'));
        announceCaptions(root, model.get('announce'));
        keepArrows(root);
      }
      const ready = root && root.querySelectorAll(SLIDER).length >= model.get('sliders')
        && root.querySelectorAll('.course-caption').length >= model.get('captions');
      if (!ready && (tries += 1) < 300) requestAnimationFrame(mend);  // siblings come up later
    };
    mend();
    model.on('change:sentence', mend);
    model.on('change:announce', mend);
  },
};
