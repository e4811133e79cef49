'use strict';
(() => {
  document.documentElement.classList.add('js');
  const rows = [...document.querySelectorAll('tbody tr')];
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));

  const search = document.getElementById('search');
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !words.every(word => texts.get(row).includes(word));
      if (!row.hidden && row.closest('.runs')) shown += 1;
    }
    document.getElementById('matching').textContent = words.length ? `${shown} run${shown === 1 ? '' : 's'}` : '';
  });

  for (const head of document.querySelectorAll('th[data-key]')) {
    head.querySelector('button').addEventListener('click', () => {
      const table = head.closest('table'), column = head.cellIndex;
      const numeric = 'numeric' in head.dataset;
      const before = head.getAttribute('aria-sort');
      const down = before ? before === 'ascending' : numeric; // the largest numbers first
      for (const other of table.querySelectorAll('th')) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = (a, b) => numeric ? value(a) - value(b) : value(a).localeCompare(value(b), 'en', { numeric: true });
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => down ? compare(b, a) : compare(a, b)));
    });
  }
})();
