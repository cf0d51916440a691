/** The services under test: what they do with a request, whatever allocator they run on. */
@NullMarked
package dev.weir.lab.service;

import org.jspecify.annotations.NullMarked;
