import { bytes, seconds } from './format.js';

const { area, axisLeft, axisBottom, line, pointer, range, scaleLinear, select } = window.d3;

const FEWEST_SAMPLES = 60;
const MARGIN = { top: 8, right: 12, bottom: 22, left: 62 };
const MAX_TICKS = 6;

/** An empty pool has a page's height too, in bytes. */
const LEAST_TOP = 4096;

/** Between the marks of the time, in seconds. */
const TIME_STEPS = [5, 10, 15, 30, 60, 120, 300, 600];

/** Resident and live pages of the last minutes, and the limit above them. */
export class History {
  /**
   * @param picture an svg element, which gets the plot
   * @param note says it in words
   */
  constructor(picture, note) {
    this.picture = select(picture);
    this.note = note;
    this.samples = 600;
    this.intervalMillis = 500;
    this.resident = [];
    this.live = [];
    this.limit = [];
    this.paused = false;
    this.held = [];
    this.cursor = -1;
    const plot = this.picture.append('g').attr('transform', `translate(${MARGIN.left},${MARGIN.top})`);
    this.down = plot.append('g').attr('class', 'axis grid');
    this.areas = ['resident', 'live'].map(name => plot.append('path').attr('class', `area ${name}`));
    this.border = plot.append('path').attr('class', 'border');
    this.along = plot.append('g').attr('class', 'axis');
    this.mark = plot.append('path').attr('class', 'mark');
    this.picture
      .on('pointermove', event => this.point(this.sampleAt(pointer(event, plot.node())[0])))
      .on('pointerleave', () => this.point(-1))
      .on('blur', () => this.point(-1))
      .on('keydown', event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(picture);
  }

  begin(history) {
    this.held = this.paused ? [() => this.set(history)] : [];
    if (!this.paused) {
      this.set(history);
      this.draw();
    }
  }

  add(view) {
    if (this.paused) {
      push(this.held, () => this.append(view.pool, view.timeMillis), this.samples + 1);
    } else {
      this.append(view.pool, view.timeMillis);
      this.draw();
    }
  }

  /** What comes meanwhile is added when it goes on, so that all samples keep their times. */
  pause(paused) {
    this.paused = paused;
    if (!paused) {
      this.held.forEach(each => each());
      this.held = [];
      this.draw();
    }
  }

  set(history) {
    this.samples = history.samples;
    this.intervalMillis = history.intervalMillis;
    this.resident = history.residentBytes;
    this.live = history.liveBytes;
    this.limit = history.limitBytes;
    this.lastMillis = undefined;
  }

  append(pool, timeMillis) {
    // Views that were missed were like the one before them, as far as anybody here knows.
    const steps = this.lastMillis === undefined || this.resident.length === 0 ? 1
      : Math.round((timeMillis - this.lastMillis) / this.intervalMillis);
    for (let missed = Math.min(steps - 1, this.samples); missed > 0; missed--) {
      this.push(this.resident.at(-1), this.live.at(-1), this.limit.at(-1));
    }
    this.push(pool.residentBytes, pool.liveBytes, pool.limitBytes);
    // Counted in steps: a view that is late has no other one missing before the next.
    this.lastMillis = this.lastMillis === undefined ? timeMillis
      : this.lastMillis + Math.max(1, steps) * this.intervalMillis;
  }

  push(resident, live, limit) {
    push(this.resident, resident, this.samples);
    push(this.live, live, this.samples);
    push(this.limit, limit, this.samples);
  }

  draw() {
    if (this.resident.length === 0) {
      return;
    }
    const { clientWidth, clientHeight } = this.picture.node();
    const width = Math.max(1, clientWidth - MARGIN.left - MARGIN.right);
    const height = Math.max(1, clientHeight - MARGIN.top - MARGIN.bottom);
    const peak = Math.max(...this.resident);
    const limit = this.limit.at(-1);
    // Near the limit the limit is the top, else what was there is.
    const top = Math.max(LEAST_TOP, peak * 1.25 >= limit * 0.5 ? limit * 1.05 : peak * 1.25);
    // A history that has only begun is drawn larger.
    const shown = Math.max(FEWEST_SAMPLES, this.resident.length);
    const span = (shown - 1) * this.intervalMillis / 1000;
    const y = scaleLinear([0, top], [height, 0]);
    this.x = scaleLinear([-span, 0], [0, width]);
    const x = (_, i) => this.x(this.secondsAt(i));

    const level = 2 ** Math.ceil(Math.log2(top / MAX_TICKS));
    this.down.call(axisLeft(y).tickValues(range(0, top, level)).tickFormat(mark).tickSize(-width).tickPadding(8));
    const step = TIME_STEPS.find(each => span / each <= MAX_TICKS) ?? TIME_STEPS.at(-1);
    this.along.attr('transform', `translate(0,${height})`).call(
      axisBottom(this.x).tickValues(range(0, span + 1e-9, step).map(ago => -ago)).tickSizeOuter(0)
        .tickFormat(at => at === 0 ? 'now' : step % 60 === 0 ? `−${-at / 60} min` : `−${-at} s`));
    const shape = area(x, height, y);
    this.areas[0].attr('d', shape(this.resident));
    this.areas[1].attr('d', shape(this.live));
    this.border.attr('d', limit <= top ? line(x, value => Math.max(0, y(value)))(this.limit) : null);
    this.mark.attr('d', this.cursor < 0 ? null : `M${this.x(this.secondsAt(this.cursor))},0V${height}`);
    this.tell(peak);
  }

  secondsAt(sample) {
    return (sample - this.resident.length + 1) * this.intervalMillis / 1000;
  }

  /** The sample that is drawn nearest to a place, -1 where there are none. */
  sampleAt(place) {
    if (this.resident.length === 0) {
      return -1;
    }
    const last = this.resident.length - 1;
    const sample = last + Math.round(this.x.invert(place) * 1000 / this.intervalMillis);
    return Math.min(last, Math.max(0, sample));
  }

  tell(peak) {
    const now = this.resident.at(-1);
    const span = Math.round(this.resident.length * this.intervalMillis / 1000);
    const all = `Last ${seconds(1000 * span)}: resident now ${bytes(now)}, at most ${bytes(peak)}, `
      + `at least ${bytes(Math.min(...this.resident))}.`;
    this.picture.attr('aria-label', `${all} Arrow keys tell the figures of a moment.`);
    const at = this.cursor;
    this.note.textContent = at < 0 ? all
      : `${seconds(-1000 * this.secondsAt(at))} ago: resident ${bytes(this.resident[at])}, `
        + `live ${bytes(this.live[at])}, limit ${bytes(this.limit[at])}.`;
  }

  point(sample) {
    if (sample !== this.cursor && this.resident.length > 0) {
      this.cursor = sample;
      this.draw();
    }
  }

  key(event) {
    const last = this.resident.length - 1;
    const from = this.cursor < 0 ? last : this.cursor;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last, Escape: -1 }[event.key];
    if (to === undefined) {
      return;
    }
    this.note.setAttribute('aria-live', to < 0 ? 'off' : 'polite');
    this.point(event.key === 'Escape' ? -1 : Math.min(last, Math.max(0, to)));
    event.preventDefault();
  }
}

/** A round number of bytes. */
function mark(size) {
  return bytes(size).replace('.0 ', ' ');
}

function push(values, value, max) {
  values.push(value);
  if (values.length > max) {
    values.shift();
  }
}
