/** Tasks for event loops. Not exported. */
@NullMarked
package dev.weir.netty.loop;

import org.jspecify.annotations.NullMarked;
