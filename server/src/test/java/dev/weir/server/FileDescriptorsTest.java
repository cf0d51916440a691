package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FileDescriptorsTest {
  @Test
  void aNodeThatWouldRunOutOfThemIsNotBegun() {
    assertThat(FileDescriptors.refuse(200)).contains("200 open files", "needs 496", "ulimit -n");
    assertThat(FileDescriptors.refuse(495)).isNotNull();
    assertThat(FileDescriptors.refuse(496)).isNull();
    assertThat(FileDescriptors.refuse(FileDescriptors.limit())).isNull();
  }
}
