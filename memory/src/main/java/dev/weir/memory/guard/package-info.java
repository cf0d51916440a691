/**
 * The mechanism behind hardened blocks: guards around them, and the quarantine that their pages
 * rest in. {@link dev.weir.memory.hardening} has the settings, and what is found.
 */
@NullMarked
package dev.weir.memory.guard;

import org.jspecify.annotations.NullMarked;
