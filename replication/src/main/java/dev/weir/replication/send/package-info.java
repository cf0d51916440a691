/** Bodies that go from files to sockets. */
@NullMarked
package dev.weir.replication.send;

import org.jspecify.annotations.NullMarked;
