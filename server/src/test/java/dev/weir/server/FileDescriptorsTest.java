package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FileDescriptorsTest {
  @Test
  void aNodeThatWouldRunOutOfThemIsNotBegun() {
    assertThat(FileDescriptors.refuse(200)).contains("200 open files", "needs 497", "ulimit -n");
    assertThat(FileDescriptors.refuse(496)).isNotNull();
    assertThat(FileDescriptors.refuse(497)).isNull();
    assertThat(FileDescriptors.refuse(FileDescriptors.limit())).isNull();
  }
}
