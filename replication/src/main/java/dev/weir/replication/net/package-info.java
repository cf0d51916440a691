/** What both sides share of the network: event loops, TLS, rates. */
@NullMarked
package dev.weir.replication.net;

import org.jspecify.annotations.NullMarked;
