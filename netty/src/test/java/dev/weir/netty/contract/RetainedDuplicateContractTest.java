package dev.weir.netty.contract;

import io.netty.buffer.ByteBuf;

/** The same over retained duplicates, which outlive the reference that they were made from. */
class RetainedDuplicateContractTest extends DuplicateContractTest {
  @Override
  ByteBuf duplicate(ByteBuf whole) {
    ByteBuf duplicate = whole.retainedDuplicate();
    whole.release();
    return duplicate;
  }
}
