/**
 * Finds mistakes in the use of blocks: access after release, a second release, writes beyond the
 * end. For a sample of the blocks, or in tests for all of them. {@link
 * dev.weir.memory.hardening.Hardening} has the settings.
 */
@NullMarked
package dev.weir.memory.hardening;

import org.jspecify.annotations.NullMarked;
