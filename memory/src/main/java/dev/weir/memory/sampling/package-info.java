/**
 * How the profile of live memory is drawn: countdowns to the next sample, and the samples that are
 * live. {@link dev.weir.memory.profile} has what people see of it.
 */
@NullMarked
package dev.weir.memory.sampling;

import org.jspecify.annotations.NullMarked;
