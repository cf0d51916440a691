package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.util.AbstractReferenceCounted;
import org.junit.jupiter.api.Test;

/** A message that cannot be taken over for want of Java heap is released. */
class OwnedWithoutHeapTest {
  private final ByteBuf key = Unpooled.buffer(1);
  private final Unseen content = new Unseen();

  /** A buffer around which no other can be made. */
  private static final class Unseen extends UnpooledHeapByteBuf {
    private final boolean made;

    Unseen() {
      super(UnpooledByteBufAllocator.DEFAULT, 8, 8);
      made = true;
    }

    @Override
    public int maxCapacity() {
      if (made) {
        throw noHeap();
      }
      return super.maxCapacity();
    }
  }

  /** A holder with a count of its own, and more than its content. */
  private static final class Keyed extends AbstractReferenceCounted implements ByteBufHolder {
    private final ByteBuf key;
    private final ByteBuf content;

    /** Whether nobody can be told its count the next time. */
    private boolean uncounted;

    Keyed(ByteBuf key, ByteBuf content) {
      this.key = key;
      this.content = content;
    }

    @Override
    public int refCnt() {
      if (uncounted) {
        uncounted = false;
        throw noHeap();
      }
      return super.refCnt();
    }

    @Override
    public ByteBuf content() {
      return content;
    }

    @Override
    public Keyed replace(ByteBuf other) {
      Keyed copy = new Keyed(key.retainedDuplicate(), other);
      copy.uncounted = true;
      return copy;
    }

    @Override
    protected void deallocate() {
      key.release();
      content.release();
    }

    @Override
    public Keyed copy() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Keyed duplicate() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Keyed retainedDuplicate() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Keyed retain() {
      super.retain();
      return this;
    }

    @Override
    public Keyed retain(int increment) {
      super.retain(increment);
      return this;
    }

    @Override
    public Keyed touch() {
      return this;
    }

    @Override
    public Keyed touch(Object hint) {
      return this;
    }
  }

  private static OutOfMemoryError noHeap() {
    return new OutOfMemoryError("made by the test");
  }

  private static void assertNotTaken(Object message) {
    assertThat(catchThrowable(() -> Owned.of(message))).isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void aBuffer() {
    assertNotTaken(content);
    assertThat(content.refCnt()).isZero();
  }

  @Test
  void buffersOfAMessageThatIsBuilt() {
    assertThat(
            catchThrowable(() ->
                Owned.build(parts -> {
                  parts.take(key);
                  return parts.take(content);
                })))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(key.refCnt()).isZero();
    assertThat(content.refCnt()).isZero();
  }

  @Test
  void aHolder() {
    assertNotTaken(new DefaultHttpContent(content));
    assertThat(content.refCnt()).isZero();
  }

  @Test
  void aHolderWithACountOfItsOwn() {
    Keyed holder = new Keyed(key, content);
    assertNotTaken(holder);
    assertThat(holder.refCnt()).isZero();
    assertThat(key.refCnt()).isZero();
    assertThat(content.refCnt()).isZero();
  }

  @Test
  void aHolderThatHasACopyAlready() {
    ByteBuf bytes = Unpooled.buffer(1);
    Keyed holder = new Keyed(key, bytes);
    assertNotTaken(holder);
    assertThat(holder.refCnt()).isZero();
    assertThat(key.refCnt()).isZero();
    assertThat(bytes.refCnt()).isZero();
  }

  @Test
  void anotherMessageWithACount() {
    SentMessage.CustomCounted message =
        new SentMessage.CustomCounted(key) {
          private boolean told;

          @Override
          public int refCnt() {
            if (!told) {
              told = true;
              throw noHeap();
            }
            return super.refCnt();
          }
        };
    assertNotTaken(message);
    assertThat(key.refCnt()).isZero();
  }
}
