import { bytes, element, percent } from './format.js';
import { shortFrame } from './places.js';

const REFRESH_MILLIS = 2000;
const LIBRARY = /^(io\.netty|java|javax|jdk|sun)\./;

/** Narrower bars are left out. */
const SMALLEST = 0.0015;
const MAX_DEPTH = 48;

/**
 * The live profile of a budget as an icicle of calls: the outermost on top, the code that allocated
 * at the bottom, as wide as what is live of it.
 */
export class Flame {
  constructor(holder, note, options) {
    this.holder = holder;
    this.note = note;
    this.options = options;
    this.budget = '';
    this.zoom = [];
    this.current = [];
    this.busy = false;
    this.fetchedMillis = 0;
    for (const option of Object.values(options)) {
      option.addEventListener('change', () => this.refresh(true));
    }
    holder.addEventListener('keydown', event => this.key(event));
  }

  /** Shows what is charged to a budget and those below it. */
  choose(path) {
    if (path !== this.budget) {
      this.budget = path;
      this.zoom = [];
      this.refresh(true);
    }
  }

  get query() {
    const query = new URLSearchParams();
    if (this.budget) {
      query.set('budget', this.budget);
    }
    if (this.options.old.checked) {
      query.set('older', this.options.old.value);
    }
    return query;
  }

  /** Asks for a new profile, if the last one is a while ago. */
  async refresh(now = false) {
    if (this.busy) {
      this.again ||= now;
      return;
    }
    if (!now && Date.now() - this.fetchedMillis < REFRESH_MILLIS) {
      return;
    }
    this.busy = true;
    this.again = false;
    this.fetchedMillis = Date.now();
    try {
      const answer = await fetch(`flame?${this.query}`);
      if (answer.ok) {
        this.tree = await answer.json();
        this.draw();
      } else if (answer.status === 404) {
        this.note.textContent = await answer.text();
      }
    } catch {
      // The node is away; the events tell.
    } finally {
      this.busy = false;
      if (this.again) {
        this.refresh(true);
      }
    }
  }

  draw() {
    if (!this.tree) {
      return;
    }
    const root = this.options.all.checked ? this.tree : fold(this.tree);
    const chain = [root];
    for (const name of this.zoom) {
      const next = chain.at(-1).children.find(child => child.name === name);
      if (!next) {
        break;
      }
      chain.push(next);
    }
    this.zoom = chain.slice(1).map(node => node.name);
    const hadFocus = this.holder.contains(document.activeElement);
    this.bars = new Map();
    chain.forEach((node, depth) => this.place(node, this.zoom.slice(0, depth), depth, 0, 1, chain.at(-1) !== node));
    this.below(chain.at(-1), this.zoom, chain.length, 0, 1);
    const rows = Math.max(...[...this.bars.values()].map(bar => bar.depth)) + 1;
    this.holder.style.height = `${rows * 1.5}rem`;
    this.holder.replaceChildren(...[...this.bars.values()].map(bar => bar.made));
    while (!this.bars.has(key(this.current))) {
      this.current = this.current.slice(0, -1);
    }
    this.mark(this.current, hadFocus);
  }

  /** Bars for what lies below a node, over a part of the width. */
  below(node, path, depth, left, width) {
    if (depth >= MAX_DEPTH) {
      return;
    }
    let at = left;
    for (const child of node.children) {
      const share = width * child.bytes / Math.max(1, node.bytes);
      if (share >= SMALLEST) {
        const childPath = [...path, child.name];
        this.place(child, childPath, depth, at, share, false);
        this.below(child, childPath, depth + 1, at, share);
      }
      at += share;
    }
  }

  place(node, path, depth, left, width, leadsBack) {
    const { call, source } = shortFrame(node.name);
    const line = source.includes(':') ? source.slice(source.indexOf(':')) : '';
    const kind = depth === 0 ? 'root' : node.folded ? 'folded' : LIBRARY.test(node.name) ? 'library' : 'own';
    const made = element('button', {
      type: 'button',
      tabIndex: -1,
      className: `frame ${kind}${leadsBack ? ' back' : ''}`,
      textContent: depth === 0 || node.folded ? node.name : call + line,
      title: this.describe(node),
    });
    made.style.left = `${left * 100}%`;
    made.style.width = `${width * 100}%`;
    made.style.top = `${depth * 1.5}rem`;
    made.addEventListener('click', () => this.zoomTo(path));
    made.addEventListener('focus', () => this.mark(path, false));
    made.addEventListener('pointerenter', () => this.tell(node));
    this.bars.set(key(path), { node, path, depth, left, made });
  }

  describe(node) {
    const what = node.folded ? node.folded.join('\n') : node.name;
    return `${what}: ${bytes(node.bytes)}, ${percent(node.bytes, this.tree.bytes)}`;
  }

  tell(node) {
    const what = node.folded ? `${node.name}, ${node.folded[0]} to ${node.folded.at(-1)}` : node.name;
    this.note.textContent = node.bytes === 0
      ? `${what}: no sample of it is live.`
      : `${what}: about ${bytes(node.bytes)}, ${percent(node.bytes, this.tree.bytes)} of ${bytes(this.tree.bytes)}.`;
  }

  /** Makes one bar the one that the tab key reaches. */
  mark(path, focus) {
    const before = this.bars.get(key(this.current));
    if (before) {
      before.made.tabIndex = -1;
    }
    this.current = path;
    const bar = this.bars.get(key(path));
    bar.made.tabIndex = 0;
    // What changes by itself is read out only to those who are here.
    this.note.setAttribute('aria-live', focus || this.holder.contains(document.activeElement) ? 'polite' : 'off');
    this.tell(bar.node);
    if (focus) {
      bar.made.focus({ preventScroll: true });
    }
  }

  zoomTo(path) {
    this.zoom = path;
    this.current = path;
    this.draw();
    this.bars.get(key(this.current)).made.focus({ preventScroll: true });
  }

  key(event) {
    const here = this.bars?.get(key(this.current));
    if (!here) {
      return;
    }
    const row = [...this.bars.values()].filter(bar => bar.depth === here.depth).sort((a, b) => a.left - b.left);
    const next = {
      ArrowLeft: () => row[row.indexOf(here) - 1],
      ArrowRight: () => row[row.indexOf(here) + 1],
      ArrowUp: () => this.bars.get(key(here.path.slice(0, -1))),
      ArrowDown: () => [...this.bars.values()].filter(bar => bar.depth === here.depth + 1
        && key(bar.path.slice(0, -1)) === key(here.path)).sort((a, b) => b.node.bytes - a.node.bytes)[0],
    }[event.key];
    if (next) {
      const bar = next();
      if (bar) {
        this.mark(bar.path, true);
        bar.made.scrollIntoView({ block: 'nearest' });
      }
    } else if (event.key === 'Escape') {
      this.zoomTo([]);
    } else {
      return;
    }
    event.preventDefault();
  }
}

function key(path) {
  return path.join('\n');
}

/** Libraries that only pass a call on, one bar for all of them in a row. */
function fold(node) {
  const chain = [];
  let last = node;
  while (last.children.length === 1 && LIBRARY.test(last.name) && last.children[0].bytes === last.bytes
      && LIBRARY.test(last.children[0].name)) {
    chain.push(last.name);
    last = last.children[0];
  }
  const children = last.children.map(fold);
  if (chain.length === 0) {
    return { ...last, children };
  }
  const folded = [...chain, last.name];
  return { name: `${folded.length} calls to ${shortFrame(last.name).call}`, bytes: node.bytes, children, folded };
}
