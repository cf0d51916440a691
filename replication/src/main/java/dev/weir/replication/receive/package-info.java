/** Containers that are put together: the plan, verified chunks, and the import directory. */
@NullMarked
package dev.weir.replication.receive;

import org.jspecify.annotations.NullMarked;
