/** Replays a trace against one allocator after another, each in a JVM of its own. */
@NullMarked
package dev.weir.lab.replay;

import org.jspecify.annotations.NullMarked;
