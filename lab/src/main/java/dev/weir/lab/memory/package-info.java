/** What the kernel says that a process holds, sampled while it works. */
@NullMarked
package dev.weir.lab.memory;

import org.jspecify.annotations.NullMarked;
