/** The receiver: connections, verified chunks, and the import directory. */
@NullMarked
package dev.weir.replication.fetch;

import org.jspecify.annotations.NullMarked;
