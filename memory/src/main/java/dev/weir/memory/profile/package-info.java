/**
 * The sampled profile of live memory: which code allocated what is still held, for whom, since
 * when. A sample is taken every so many bytes, and kept until its block is released.
 */
@NullMarked
package dev.weir.memory.profile;

import org.jspecify.annotations.NullMarked;
