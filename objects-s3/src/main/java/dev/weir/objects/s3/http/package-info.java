/**
 * The AWS SDK's HTTP on Netty. Bodies go from the socket's buffer to whoever reads them, and from
 * the caller's memory to the socket, without a copy on the Java heap.
 *
 * <p>All of an exchange happens on its connection's event loop.
 */
@NullMarked
package dev.weir.objects.s3.http;

import org.jspecify.annotations.NullMarked;
