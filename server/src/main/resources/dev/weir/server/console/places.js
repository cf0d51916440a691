import { bytes, count, element, seconds } from './format.js';

const FRAME = /^(?:(.*)\.)?([^.]+)\.([^.(]+)\((.*)\)$/;

const NESTING = /^.*\$(?=[A-Za-z_])/;

/** A frame's class (of nested ones the innermost) and method, and where that stands in the source. */
export function shortFrame(frame) {
  const match = FRAME.exec(frame);
  return match
    ? { call: `${match[2].replace(NESTING, '')}.${match[3]}`, source: match[4], packageName: match[1] ?? '' }
    : { call: frame, source: '', packageName: '' };
}

/** Places in the code with figures, each of which opens to its stack. */
export class Places {
  /**
   * @param list the element that gets the places
   * @param figures makes the figures of a place: pairs of a name and a text
   */
  constructor(list, figures) {
    this.list = list;
    this.figures = figures;
    this.items = new Map();
  }

  show(places) {
    const wanted = new Map();
    for (const place of places) {
      const key = place.stack.join('\n');
      const item = this.items.get(key) ?? new Item(place);
      item.update(this.figures(place));
      wanted.set(key, item);
    }
    const roots = [...wanted.values()].map(item => item.root);
    // Moved only where the order has changed: what is open stays open, what has the focus keeps it.
    if (roots.length !== this.list.children.length
        || roots.some((root, i) => this.list.children[i] !== root)) {
      const focused = document.activeElement;
      this.list.replaceChildren(...roots);
      if (this.list.contains(focused)) {
        focused.focus();
      }
    }
    this.items = wanted;
  }
}

class Item {
  constructor(place) {
    const { call, source, packageName } = shortFrame(place.place);
    this.figures = element('span', { className: 'figures' });
    const summary = element('summary', { title: packageName },
      element('code', { textContent: call }), element('span', { className: 'source', textContent: source }),
      this.figures);
    const frames = place.stack.map(frame => {
      const { call: name, source: line, packageName: of } = shortFrame(frame);
      return element('li', { className: frame === place.place ? 'here' : '' },
        element('span', { className: 'package', textContent: of ? `${of}.` : '' }),
        element('code', { textContent: name }),
        element('span', { className: 'source', textContent: line }));
    });
    this.root = element('li', {}, element('details', {}, summary,
      element('ol', { className: 'stack' }, ...frames)));
  }

  update(figures) {
    const parts = figures.map(([name, text]) =>
      element('span', {}, element('span', { className: 'name', textContent: `${name} ` }), text));
    this.figures.replaceChildren(...parts);
  }
}

function budgetOf(place) {
  return place.budgets > 1 ? `${place.budget} and ${count(place.budgets - 1)} more` : place.budget;
}

export function suspectFigures(place) {
  return [
    ['grows', `${bytes(place.growthBytesPerSecond)}/s`],
    ['holds', bytes(place.bytes)],
    ['oldest', seconds(place.oldestMillis)],
    ['budget', budgetOf(place)],
  ];
}

export function oldestFigures(place) {
  return [
    ['age', seconds(place.oldestMillis)],
    ['holds', bytes(place.bytes)],
    ['blocks', count(place.blocks)],
    ['budget', budgetOf(place)],
  ];
}
