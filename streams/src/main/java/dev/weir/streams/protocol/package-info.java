/**
 * The Durable Streams protocol (version 1.0, public specification of the durable-streams project)
 * apart from HTTP: offsets, cursors, names, JSON messages, server-sent events.
 */
@NullMarked
package dev.weir.streams.protocol;

import org.jspecify.annotations.NullMarked;
