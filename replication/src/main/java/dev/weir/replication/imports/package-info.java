/** Containers that others push: what has come of them, and what is missing. */
@NullMarked
package dev.weir.replication.imports;

import org.jspecify.annotations.NullMarked;
