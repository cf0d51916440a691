/** Event loops: tasks for them, and who runs there. Exported to the compression module alone. */
@NullMarked
package dev.weir.netty.loop;

import org.jspecify.annotations.NullMarked;
