import { ask } from './ask.js';
import { bytes, channels, colour, element, fit } from './format.js';

const CELLS = 2048;
const ZOOM = 8;
const MAX_CELL = 24;

/** The regions of the reservation, each a canvas of cells. */
export class PageMap {
  constructor(holder) {
    this.holder = holder;
    this.regions = new Map();
  }

  show(regions) {
    for (const data of regions) {
      let region = this.regions.get(data.name);
      if (!region) {
        region = new Region(data.name);
        this.regions.set(data.name, region);
        this.holder.append(region.root);
      }
      region.update(data);
    }
    for (const [name, region] of this.regions) {
      if (!regions.some(data => data.name === name)) {
        region.root.remove();
        this.regions.delete(name);
      }
    }
  }

  draw() {
    this.regions.forEach(region => region.draw());
  }
}

class Region {
  constructor(name) {
    this.name = name;
    this.window = null;
    this.busy = false;
    this.cursor = -1;
    this.title = element('h3', { textContent: name });
    this.out = element('button', { type: 'button', textContent: 'Zoom out', hidden: true });
    this.info = element('p', { className: 'note' });
    this.info.setAttribute('aria-live', 'polite');
    this.canvas = element('canvas', { className: 'map', tabIndex: 0 });
    this.canvas.setAttribute('role', 'img');
    this.root = element('div', {}, element('div', { className: 'region-head' }, this.title, this.out),
      this.canvas, this.info);
    this.out.addEventListener('click', () => this.zoomOut());
    this.canvas.addEventListener('click', event => this.zoomIn(this.cellAt(event)));
    this.canvas.addEventListener('pointermove', event => this.point(this.cellAt(event)));
    this.canvas.addEventListener('pointerleave', () => this.point(-1));
    this.canvas.addEventListener('keydown', event => this.key(event));
    this.canvas.addEventListener('blur', () => this.point(-1));
  }

  /** A new map of everything; where the user has zoomed in, the part is asked for. */
  update(data) {
    this.whole = data;
    if (this.window) {
      this.fetchWindow();
    } else {
      this.set(data);
    }
  }

  async fetchWindow() {
    if (this.busy) {
      return;
    }
    this.busy = true;
    const window = this.window;
    try {
      const query = new URLSearchParams(
        { region: this.name, from: window.from, to: window.to, cells: CELLS });
      const answer = await ask(`pages?${query}`);
      if (answer.ok && window === this.window) {
        const [part] = (await answer.json()).pages;
        if (part) {
          this.set(part);
        } else {
          // The region has become shorter than that.
          this.zoomOut();
        }
      }
    } catch {
      // The node is away; the events tell.
    } finally {
      this.busy = false;
    }
  }

  set(data) {
    this.data = data;
    this.cells = Uint8Array.from(atob(data.cells), letter => letter.charCodeAt(0));
    this.out.hidden = !this.window;
    this.draw();
  }

  get length() {
    return this.cells.length / 3;
  }

  draw() {
    if (!this.cells) {
      return;
    }
    const width = Math.max(1, this.canvas.clientWidth);
    // About four times as wide as high, with cells that a finger or an eye can find.
    const wanted = Math.ceil(Math.sqrt(4 * this.length));
    this.columns = Math.min(Math.max(wanted, Math.ceil(width / MAX_CELL)), width < 480 ? 48 : 128);
    // Whole dots of the screen: no seams between cells.
    const ratio = window.devicePixelRatio || 1;
    const size = Math.max(1, Math.floor(width / this.columns * ratio)) / ratio;
    const rows = Math.ceil(this.length / this.columns);
    this.canvas.style.height = `${Math.ceil(rows * size)}px`;
    const { pen } = fit(this.canvas, Math.ceil(rows * size));
    this.size = size;
    pen.clearRect(0, 0, width, Math.ceil(rows * size));
    const full = channels(colour('full'));
    const sparse = channels(colour('sparse'));
    const dirty = channels(colour('dirty'));
    const clean = channels(colour('clean'));
    const gap = size > 5 ? 1 : 0;
    for (let cell = 0; cell < this.length; cell++) {
      pen.fillStyle = this.colourOf(cell, full, sparse, dirty, clean);
      pen.fillRect(cell % this.columns * size, Math.floor(cell / this.columns) * size,
        size - gap, size - gap);
    }
    if (this.cursor >= 0 && this.cursor < this.length) {
      pen.strokeStyle = colour('ink');
      pen.lineWidth = 2;
      pen.strokeRect(this.cursor % this.columns * size, Math.floor(this.cursor / this.columns) * size,
        size - gap, size - gap);
    }
    this.describe();
  }

  colourOf(cell, full, sparse, dirty, clean) {
    const live = this.cells[3 * cell] / 255;
    const free = this.cells[3 * cell + 1] / 255;
    const taken = this.cells[3 * cell + 2] / 255;
    if (live === 0 && free === 0) {
      return `rgb(${clean})`;
    }
    // A cell that is in use a little is seen: it gets a third of the colour at least.
    const strength = Math.max(0.34, live + free);
    const liveShare = live / (live + free);
    const mixed = clean.map((_, i) => {
      const liveColour = sparse[i] + (full[i] - sparse[i]) * taken;
      const used = liveColour * liveShare + dirty[i] * (1 - liveShare);
      return Math.round(clean[i] + (used - clean[i]) * strength);
    });
    return `rgb(${mixed})`;
  }

  describe() {
    const sums = [0, 0];
    for (let cell = 0; cell < this.length; cell++) {
      sums[0] += this.cells[3 * cell] / 255 * this.data.cellBytes;
      sums[1] += this.cells[3 * cell + 1] / 255 * this.data.cellBytes;
    }
    const from = this.data.fromBytes;
    const to = Math.min(this.data.extentBytes, from + this.length * this.data.cellBytes);
    const summary = `${bytes(from)} to ${bytes(to)} of ${bytes(this.data.reservedBytes)} of addresses, `
      + `${bytes(this.data.cellBytes)} a cell: about ${bytes(Math.round(sums[0]))} live, `
      + `${bytes(Math.round(sums[1]))} dirty`;
    this.canvas.setAttribute('aria-label', `${this.name}: ${summary}`);
    const text = this.cursor >= 0 && this.cursor < this.length ? this.tell(this.cursor) : summary;
    if (this.info.textContent !== text) {
      this.info.textContent = text;
    }
    this.info.setAttribute('aria-live', this.cursor >= 0 ? 'polite' : 'off');
  }

  tell(cell) {
    const share = at => `${Math.round(this.cells[3 * cell + at] / 2.55)} %`;
    const from = this.data.fromBytes + cell * this.data.cellBytes;
    return `${bytes(from)} to ${bytes(from + this.data.cellBytes)}: ${share(0)} live `
      + `(blocks take ${share(2)} of that), ${share(1)} dirty`;
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / this.size);
    const row = Math.floor((event.clientY - box.top) / this.size);
    const cell = row * this.columns + column;
    return column >= 0 && column < this.columns && cell < this.length ? cell : -1;
  }

  point(cell) {
    if (cell !== this.cursor) {
      this.cursor = cell;
      this.draw();
    }
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns };
    if (event.key in steps) {
      const from = this.cursor < 0 ? 0 : this.cursor + steps[event.key];
      this.point(Math.min(this.length - 1, Math.max(0, from)));
    } else if (event.key === 'Enter' || event.key === '+') {
      this.zoomIn(Math.max(0, this.cursor));
    } else if (event.key === 'Escape' || event.key === '-') {
      this.zoomOut();
    } else {
      return;
    }
    event.preventDefault();
  }

  zoomIn(cell) {
    const { fromBytes, cellBytes, extentBytes } = this.data;
    const span = Math.min(extentBytes - fromBytes, this.length * cellBytes) / ZOOM;
    if (cell < 0 || this.length < 2 * ZOOM) {
      return;
    }
    const middle = fromBytes + (cell + 0.5) * cellBytes;
    const from = Math.max(0, Math.floor(middle - span / 2));
    this.window = { from, to: Math.floor(from + span), outer: this.window };
    this.cursor = -1;
    this.fetchWindow();
  }

  zoomOut() {
    if (!this.window) {
      return;
    }
    this.window = this.window.outer;
    this.cursor = -1;
    if (this.window) {
      this.fetchWindow();
    } else {
      this.set(this.whole);
    }
  }
}
