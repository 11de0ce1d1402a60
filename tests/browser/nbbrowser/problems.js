// Cell errors, widgets that did not come up, and stderr, of the notebook that is open.
() => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  const found = [];
  let widgets = 0;
  const complaints = ['Error displaying widget', 'Loading widget...', 'Error creating widget',
    'Failed to load model', 'Click to show javascript error', 'VBox(children', 'HBox(children'];
  const bad = '[data-mime-type="application/vnd.jupyter.stderr"]';
  notebook.widgets.forEach((cell, index) => {
    if (cell.model.type !== 'code') return;
    const area = cell.outputArea.node;
    for (const output of cell.model.outputs.toJSON()) {
      if (output.output_type === 'error') found.push(`cell ${index}: ${output.ename}: ${output.evalue}`);
      if (output.data && output.data['application/vnd.jupyter.widget-view+json']) {
        widgets += 1;
        if (!area.querySelector('.jupyter-widgets, .lm-Widget > *')) found.push(`cell ${index}: no widget`);
      }
    }
    for (const text of complaints) if (area.innerText.includes(text)) found.push(`cell ${index}: ${text}`);
    area.querySelectorAll(bad).forEach(e => found.push(`cell ${index}: stderr: ${e.innerText.slice(0, 300)}`));
    area.querySelectorAll('img').forEach(image => {
      if (!image.complete || !image.naturalWidth) found.push(`cell ${index}: broken picture`);
    });
  });
  return { found, widgets };
}
