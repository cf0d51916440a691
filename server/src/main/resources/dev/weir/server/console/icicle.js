import { element } from './format.js';

const { hierarchy, partition, select } = window.d3;

const ROW_REM = 1.6;
const ZOOM_MILLIS = 250;

/** Narrower bars are left out. */
const SMALLEST = 0.0015;

/**
 * Narrower bars have no text, in pixels: a letter or two say nothing. What lies below them is shown
 * when they are chosen.
 */
const NARROW = 28;

/**
 * A tree as rows of bars, children below their parent, as wide as their bytes. A bar that is
 * chosen takes the whole width, with those above it. Bars stay the same elements while their
 * figures change, so what has the focus keeps it.
 *
 * A node has a name, bytes and children; one that is a rest stands for what is not in the tree, and
 * cannot be chosen. Siblings may have the same name: what tells a node from them at every moment is
 * its id, if it has one. A path is what nodes below the root are told from their siblings by.
 */
export class Icicle {
  /**
   * @param holder the element that gets the bars
   * @param look what to make of a node: its kind (classes), its text, its title; and the most levels
   * @param zoomed is told when a node has been chosen
   * @param pointed is told the node that is pointed at, or that the keyboard has come to
   */
  constructor(holder, look, { zoomed, pointed = () => {} }) {
    this.holder = holder;
    this.look = look;
    this.zoomed = zoomed;
    this.pointed = pointed;
    this.zoom = [];
    this.current = '';
    holder.addEventListener('keydown', event => this.key(event));
  }

  /** Whether the keyboard is here. */
  get hasFocus() {
    return this.holder.contains(document.activeElement);
  }

  /** The node that is chosen: the root, if there is no other. */
  get chosen() {
    return this.focus.data;
  }

  /** The names of the nodes below the root that lead to the one that is chosen. */
  get names() {
    return namesOf(this.focus);
  }

  /** Shows a tree; what was chosen stays so, as far as it is still there. */
  show(tree) {
    const root = hierarchy(tree).sum(own);
    partition()(root);
    root.eachBefore(node => {
      node.path = node.parent ? [...node.parent.path, node.part] : [];
      node.key = node.path.join('\n');
      tellApart(node.children ?? []);
    });
    this.root = root;
    this.draw();
  }

  draw() {
    this.focus = this.zoom.reduce(
      ({ node, stopped }, part) => {
        const next = stopped ? undefined
          : node.children?.find(child => child.part === part);
        return { node: next ?? node, stopped: !next };
      }, { node: this.root, stopped: false }).node;
    this.zoom = this.focus.path;
    const hadFocus = this.hasFocus;
    this.bars = this.visible();
    while (!this.bars.has(this.current)) {
      this.current = this.current.includes('\n') ? this.current.slice(0, this.current.lastIndexOf('\n')) : '';
    }
    const nodes = [...this.bars.values()];
    this.holder.style.height = `${(Math.max(...nodes.map(node => node.depth)) + 1) * ROW_REM}rem`;
    select(this.holder).selectAll('.cell').data(nodes, node => node.key)
      .join(enter => enter.append(node => this.made(node)))
      .attr('class', node => `cell ${this.look.kind(node.data, node.depth)}`
        + (node.depth < this.focus.depth ? ' back' : ''))
      .attr('title', node => this.look.title(node.data))
      .text(node => this.hasText(node) ? this.look.text(node.data, node.depth) : '')
      .style('left', node => `${node.left * 100}%`)
      .style('width', node => `${node.width * 100}%`)
      .style('top', node => `${node.depth * ROW_REM}rem`);
    this.mark(this.current, hadFocus);
  }

  /** What is to be seen by key, with its place: what is chosen, those above it, what lies below. */
  visible() {
    const { x0, x1 } = this.focus;
    const shown = new Map();
    for (const node of this.focus.ancestors().reverse()) {
      Object.assign(node, { left: 0, width: 1 });
      shown.set(node.key, node);
    }
    const last = this.focus.depth + this.look.levels;
    for (const node of this.focus.descendants().slice(1)) {
      node.left = (node.x0 - x0) / (x1 - x0);
      node.width = (node.x1 - node.x0) / (x1 - x0);
      if (node.width >= SMALLEST && node.depth <= last && this.hasText(node.parent) && shown.has(node.parent.key)) {
        shown.set(node.key, node);
      }
    }
    return shown;
  }

  hasText(node) {
    return node.width * this.holder.clientWidth >= NARROW;
  }

  made(node) {
    if (node.data.rest) {
      return element('span', {});
    }
    const button = element('button', { type: 'button', tabIndex: -1 });
    button.dataset.path = namesOf(node).join('/');
    select(button)
      .on('click', (event, of) => this.zoomTo(of.path))
      .on('focus', (event, of) => this.mark(of.key, false))
      .on('pointerenter', (event, of) => this.pointed(of.data));
    return button;
  }

  /** Makes one bar the one that the tab key reaches. */
  mark(key, takesFocus) {
    this.current = key;
    select(this.holder).selectAll('button').attr('tabindex', node => node.key === key ? 0 : -1);
    if (takesFocus) {
      this.bar(key)?.focus({ preventScroll: true });
    }
    this.pointed(this.bars.get(key).data);
  }

  bar(key) {
    return select(this.holder).selectAll('button').filter(node => node.key === key).node();
  }

  zoomTo(path) {
    this.zoom = path;
    this.current = path.join('\n');
    this.holder.classList.add('zooming');
    clearTimeout(this.zooming);
    this.zooming = setTimeout(() => this.holder.classList.remove('zooming'), ZOOM_MILLIS);
    this.draw();
    this.bar(this.current)?.focus({ preventScroll: true });
    this.zoomed(this.focus.data, this.zoom);
  }

  key(event) {
    const here = this.bars?.get(this.current);
    if (!here) {
      return;
    }
    const buttons = [...this.bars.values()].filter(node => !node.data.rest);
    const row = buttons.filter(node => node.depth === here.depth).sort((a, b) => a.left - b.left);
    const next = {
      ArrowLeft: () => row[row.indexOf(here) - 1],
      ArrowRight: () => row[row.indexOf(here) + 1],
      ArrowUp: () => here.parent,
      ArrowDown: () => buttons.filter(node => node.parent === here).sort((a, b) => b.width - a.width)[0],
    }[event.key];
    if (next) {
      const node = next();
      if (node) {
        this.mark(node.key, true);
        this.bar(node.key).scrollIntoView({ block: 'nearest' });
      }
    } else if (event.key === 'Escape') {
      this.zoomTo([]);
    } else {
      return;
    }
    event.preventDefault();
  }
}

function namesOf(node) {
  return node.ancestors().reverse().slice(1).map(each => each.data.name);
}

/** Gives each of some siblings its part of a path: without a line end, and no two the same. */
function tellApart(siblings) {
  const times = new Map();
  for (const node of siblings) {
    const { id, name, rest } = node.data;
    const said = `${rest ? 'rest' : 'node'} ${id ?? name}`.replaceAll('\n', ' ');
    const before = times.get(said) ?? 0;
    times.set(said, before + 1);
    node.part = `${before} ${said}`;
  }
}

/** What a node has beyond its children; figures of a moment each need not add up. */
function own(node) {
  return Math.max(0, node.bytes - node.children.reduce((sum, child) => sum + child.bytes, 0));
}
