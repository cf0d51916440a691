/** How a copy goes on, and how it fails, whichever side begins it. */
@NullMarked
package dev.weir.replication.transfer;

import org.jspecify.annotations.NullMarked;
