/**
 * Requests for a line of text: how fast they are, and what an event loop's first one makes
 * resident.
 */
@NullMarked
package dev.weir.benchmarks.hello;

import org.jspecify.annotations.NullMarked;
