/**
 * How stored objects are encoded: numbers and strings, and the envelope that notices damage. Each
 * kind of object has a layout of its own where it belongs.
 */
@NullMarked
package dev.weir.streams.layout;

import org.jspecify.annotations.NullMarked;
