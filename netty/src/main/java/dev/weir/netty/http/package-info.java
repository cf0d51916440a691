/** HTTP/1.1 handlers that know what a request will cost before they take it in. */
@NullMarked
package dev.weir.netty.http;

import org.jspecify.annotations.NullMarked;
