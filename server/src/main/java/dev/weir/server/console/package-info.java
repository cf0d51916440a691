/**
 * What the node shows of its memory: the figures as JSON, shared by all who ask at the same time,
 * the history of the last minutes, and the files of the web console. Knows nothing of connections.
 */
@NullMarked
package dev.weir.server.console;

import org.jspecify.annotations.NullMarked;
