/** What in a trace hurts which allocator, in plain words. */
@NullMarked
package dev.weir.lab.explain;

import org.jspecify.annotations.NullMarked;
