/** The command weir replicate. */
@NullMarked
package dev.weir.replication.command;

import org.jspecify.annotations.NullMarked;
