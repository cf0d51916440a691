import { bytes, colour, fit } from './format.js';

const FEWEST_SAMPLES = 60;

/** Resident and live pages of the last minutes, and the limit above them. */
export class History {
  constructor(canvas, note) {
    this.canvas = canvas;
    this.note = note;
    this.samples = 600;
    this.intervalMillis = 500;
    this.resident = [];
    this.live = [];
    this.limit = [];
  }

  begin(history) {
    this.samples = history.samples;
    this.intervalMillis = history.intervalMillis;
    this.resident = history.residentBytes;
    this.live = history.liveBytes;
    this.limit = history.limitBytes;
    this.draw();
  }

  add(pool) {
    push(this.resident, pool.residentBytes, this.samples);
    push(this.live, pool.liveBytes, this.samples);
    push(this.limit, pool.limitBytes, this.samples);
    this.draw();
  }

  draw() {
    const { pen, width, height } = fit(this.canvas, this.canvas.clientHeight);
    pen.clearRect(0, 0, width, height);
    const peak = Math.max(1, ...this.resident);
    const limit = this.limit.at(-1) ?? peak;
    // Near the limit the limit is the top, else what was there is.
    const top = peak * 1.25 >= limit * 0.5 ? limit * 1.05 : peak * 1.25;
    // A history that has only begun is drawn larger.
    const shown = Math.max(FEWEST_SAMPLES, this.resident.length);
    const x = i => width - (this.resident.length - 1 - i) * width / (shown - 1);
    const y = value => height - value / top * height;
    this.area(pen, this.resident, colour('dirty'), x, y, height);
    this.area(pen, this.live, colour('full'), x, y, height);
    if (limit <= top) {
      pen.strokeStyle = colour('limit');
      pen.setLineDash([4, 3]);
      pen.beginPath();
      this.limit.forEach((value, i) => pen.lineTo(x(i), y(value)));
      pen.stroke();
      pen.setLineDash([]);
    }
    const seconds = Math.round(this.resident.length * this.intervalMillis / 1000);
    const now = this.resident.at(-1) ?? 0;
    const text = `Last ${seconds} s: resident now ${bytes(now)}, at most ${bytes(peak)}, `
      + `at least ${bytes(Math.min(...this.resident, now))}; the top is ${bytes(top)}.`;
    this.note.textContent = text;
    this.canvas.setAttribute('aria-label', text);
  }

  area(pen, values, fill, x, y, height) {
    if (values.length === 0) {
      return;
    }
    pen.fillStyle = fill;
    pen.beginPath();
    pen.moveTo(x(0), height);
    values.forEach((value, i) => pen.lineTo(x(i), y(value)));
    pen.lineTo(x(values.length - 1), height);
    pen.fill();
  }
}

function push(values, value, max) {
  values.push(value);
  if (values.length > max) {
    values.shift();
  }
}
