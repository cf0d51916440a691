/** What the lab's commands share: converters of options, and checks made before a run. */
@NullMarked
package dev.weir.lab.options;

import org.jspecify.annotations.NullMarked;
