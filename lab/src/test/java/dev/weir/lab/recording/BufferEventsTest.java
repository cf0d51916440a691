package dev.weir.lab.recording;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BufferEventsTest {
  /** In 4.2.3 the events have no package: {@code @Name("AllocateBufferEvent")}. */
  @Test
  void theNamesOfTheFirstVersionAreSwitchedOnBesideThoseWithAPrefix() {
    assertThat(BufferEvents.switches("shaded.io.netty."))
        .containsExactly(
            "+shaded.io.netty.AllocateBuffer#enabled=true",
            "+shaded.io.netty.FreeBuffer#enabled=true",
            "+shaded.io.netty.ReallocateBuffer#enabled=true",
            "+AllocateBufferEvent#enabled=true",
            "+FreeBufferEvent#enabled=true",
            "+ReallocateBufferEvent#enabled=true");
  }
}
