package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;

/** The same over retained slices, which outlive the reference that they were made from. */
class RetainedSliceContractTest extends SliceContractTest {
  @Override
  ByteBuf slice(ByteBuf whole, int offset, int length) {
    ByteBuf slice = whole.retainedSlice(offset, length);
    whole.release();
    assertThat(slice.refCnt()).isEqualTo(whole.refCnt());
    return slice;
  }
}
