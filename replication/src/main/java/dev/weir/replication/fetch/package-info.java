/** Containers that are asked for: manifest, ranges, and other sources for what is wrong. */
@NullMarked
package dev.weir.replication.fetch;

import org.jspecify.annotations.NullMarked;
