/** Makes traces of Flight Recorder's recordings of services that use Netty. */
@NullMarked
package dev.weir.lab.recording;

import org.jspecify.annotations.NullMarked;
