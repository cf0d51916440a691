package dev.weir.lab.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SubjectTest {

  @ParameterizedTest
  @EnumSource(Subject.class)
  void eachIsFoundByItsLabelAndCountsItsMemory(Subject subject) {
    assertThat(Subject.of(subject.label())).isSameAs(subject);
    AllocatorUnderTest made = subject.create(32 << 20, 16 << 20);
    ByteBuf buffer = made.allocator().directBuffer(1 << 20);
    assertThat(made.residentBytes().orElseThrow()).isGreaterThanOrEqualTo(1 << 20);
    made.liveBytes().ifPresent(live -> assertThat(live).isGreaterThanOrEqualTo(1 << 20));
    buffer.release();
    assertThat(made.liveBytes().orElse(0)).isZero();
  }

  @Test
  void anUnknownLabelListsTheKnownOnes() {
    assertThatThrownBy(() -> Subject.of("x"))
        .hasMessage(
            "no allocator 'x'; there are weir, weir+dense, netty-pooled, netty-adaptive,"
                + " netty-unpooled, netty-pooled+gate, netty-adaptive+gate");
  }
}
