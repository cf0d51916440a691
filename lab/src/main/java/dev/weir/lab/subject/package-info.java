/** The allocators under test, behind one interface. */
@NullMarked
package dev.weir.lab.subject;

import org.jspecify.annotations.NullMarked;
