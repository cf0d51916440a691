const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes for people. */
export function bytes(n) {
  let unit = 0;
  let value = n;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${UNITS[unit]}`;
}

export function count(n) {
  return n.toLocaleString('en');
}

/** A share as "12 %"; something that is there at all is never 0 %. */
export function percent(part, whole) {
  if (!(whole > 0) || part <= 0) {
    return '0 %';
  }
  const share = 100 * part / whole;
  return share < 1 ? '< 1 %' : `${Math.round(share)} %`;
}

/** A time for people, from milliseconds. */
export function seconds(millis) {
  const whole = Math.round(millis / 1000);
  if (whole < 60) {
    return `${whole} s`;
  }
  return whole < 3600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3600)} h ${Math.floor(whole / 60) % 60} min`;
}

/** An element with text or children. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/** A colour of the style sheet. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** "#rrggbb" as three numbers. */
export function channels(hex) {
  return [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
}

/** Gives a canvas as many dots as the screen has, and says how large it is in CSS pixels. */
export function fit(canvas, height) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, canvas.clientWidth);
  const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wanted[0] || canvas.height !== wanted[1]) {
    [canvas.width, canvas.height] = wanted;
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { pen, width, height };
}
