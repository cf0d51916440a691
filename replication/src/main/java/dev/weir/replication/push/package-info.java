/** Containers that are sent to a server that takes imports. */
@NullMarked
package dev.weir.replication.push;

import org.jspecify.annotations.NullMarked;
