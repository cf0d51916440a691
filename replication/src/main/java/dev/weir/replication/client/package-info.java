/** Connections to servers, and the requests that they take turns in. */
@NullMarked
package dev.weir.replication.client;

import org.jspecify.annotations.NullMarked;
