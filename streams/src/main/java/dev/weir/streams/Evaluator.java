package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Judges a command against the newest states, drafts included, and writes what it changes to the
 * WAL: small bodies with their bytes, others by reference to their spool file. For the committer's
 * thread alone.
 */
final class Evaluator {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Catalog catalog;
  private final JournalSeries journals;
  private final Unflushed unflushed;
  private final AtomicLong ids;
  private final Clock clock;
  private final StoreStats stats;
  private final long catalogLimitBytes;
  private final UnflushedLimits limits;
  private final RecordWriter record = new RecordWriter();

  Evaluator(
      Catalog catalog,
      JournalSeries journals,
      Unflushed unflushed,
      AtomicLong ids,
      Clock clock,
      StoreStats stats,
      long catalogLimitBytes,
      UnflushedLimits limits) {
    this.catalog = catalog;
    this.journals = journals;
    this.unflushed = unflushed;
    this.ids = ids;
    this.clock = clock;
    this.stats = stats;
    this.catalogLimitBytes = catalogLimitBytes;
    this.limits = limits;
  }

  /**
   * Whether a command is to be the only one in its batch: forks and their sources look at each
   * other, and are judged by published states only, so that drafts need not know of each other.
   */
  boolean mustBeAlone(Command command) {
    return switch (command) {
      case Command.Delete delete -> hasRelatives(catalog.find(delete.path()));
      case Command.Create create ->
          create.request().fork() != null || hasRelatives(findExpired(create.request().path()));
      case Command.Append append -> false;
      case Command.Flush flush -> false;
      case Command.Flushed flushed -> false;
      case Command.Stop stop -> false;
    };
  }

  /** Whether what {@code batch} does to a command's stream is to be settled before the command. */
  boolean mustFollow(Command command, Batch batch) {
    return switch (command) {
      case Command.Delete delete ->
          batch.isDeleted(delete.path()) || batch.draft(delete.path()) != null;
      case Command.Create create -> {
        String path = create.request().path();
        yield batch.isDeleted(path) || (batch.draft(path) != null && findExpired(path) != null);
      }
      case Command.Append append -> batch.isDeleted(append.request().path());
      case Command.Flush flush -> false;
      case Command.Flushed flushed -> false;
      case Command.Stop stop -> false;
    };
  }

  private boolean hasRelatives(@Nullable Stream stream) {
    return stream != null
        && (stream.state().config().fork() != null || catalog.hasForks(stream.state().streamId()));
  }

  /**
   * @throws CatalogFullException when there is no room for what only this command would add
   * @throws UnflushedFullException when as much waits for the object store as may
   * @throws IOException when the journal failed, and with it the batch
   */
  void evaluate(Command command, Batch batch) throws IOException {
    switch (command) {
      case Command.Append append -> append(append, batch);
      case Command.Create create -> create(create, batch);
      case Command.Delete delete -> delete(delete, batch);
      case Command.Flush _, Command.Flushed _, Command.Stop _ ->
          throw new IllegalStateException("no change: " + command);
    }
  }

  private void append(Command.Append command, Batch batch) throws IOException {
    AppendRequest request = command.request();
    Draft draft = draft(request.path(), batch);
    if (draft == null) {
      batch.answer(() -> command.answer().complete(new AppendOutcome.NotFound()));
      return;
    }
    AppendOutcome refusal = refuse(draft, request, command.payload());
    if (refusal != null) {
      batch.answer(() -> command.answer().complete(refusal));
      return;
    }
    if (growsTheCatalog(draft, request)) {
      checkRoomInCatalog();
    }
    checkRoomForUnflushed(command.payload(), batch);
    record.clear();
    Mutation.Appended mutation =
        mutation(
            draft.state(),
            command.payload(),
            request.closes(),
            request.sequence(),
            request.producer());
    RecordCodec.write(mutation, record);
    long at = journals.current().add(record.contents(), inlineBytes(command.payload()));
    settle(mutation, request.path(), command.payload(), at, batch);
    draft.apply(mutation);
    StreamState next = draft.state();
    batch.answer(() -> {
      count(mutation.bytes());
      command.answer().complete(new AppendOutcome.Appended(next.tailOffset(), next.closed()));
    });
  }

  private static boolean growsTheCatalog(Draft draft, AppendRequest request) {
    return (request.producer() != null && draft.producer(request.producer()) == null)
        || StreamState.stringBytes(request.sequence())
            > StreamState.stringBytes(draft.state().lastSequence());
  }

  /** What a batch adds is seen when it is published: a batch is small. */
  private void checkRoomInCatalog() throws CatalogFullException {
    if (catalog.heldBytes() >= catalogLimitBytes) {
      throw new CatalogFullException(catalogLimitBytes);
    }
  }

  private void checkRoomForUnflushed(Payload payload, Batch batch) throws UnflushedFullException {
    limits.checkChanges();
    if (payload.bytes() > 0) {
      limits.checkBytes(batch.bytes() + payload.bytes());
      batch.addBytes(payload.bytes());
    }
  }

  private static @Nullable AppendOutcome refuse(
      Draft draft, AppendRequest request, Payload payload) {
    ProducerTag tag = request.producer();
    ProducerState known = draft.producer(tag);
    AppendOutcome refusal = AppendPolicy.refuse(draft.state(), known, request, payload.bytes() > 0);
    if (refusal == null && tag != null && known == null && !draft.hasRoomForProducer()) {
      return new AppendOutcome.TooManyProducers(Stream.MAX_PRODUCERS);
    }
    return refusal;
  }

  private void create(Command.Create command, Batch batch) throws IOException {
    CreateRequest request = command.request();
    String path = request.path();
    Draft existing = batch.draft(path);
    Stream published = existing == null ? catalog.find(path) : null;
    // Asked once: a reader who has found it before may begin its time anew meanwhile.
    Stream expired = published != null && isExpired(published) ? published : null;
    if (published != null && expired == null) {
      existing = batch.draft(path, new Draft(published, /* created= */ false));
    }
    StreamState inTheWay = inTheWay(existing, expired);
    CreateRequest.ForkRequest fork = request.fork();
    Stream source = fork == null ? null : find(fork.sourcePath());
    CreateOutcome refusal =
        isRepeated(request, inTheWay)
            ? null
            : CreatePolicy.refuseFork(source == null ? null : source.state(), request);
    if (refusal != null) {
      batch.answer(() -> command.answer().complete(refusal));
      return;
    }
    if (inTheWay != null) {
      CreateOutcome outcome = compare(inTheWay, request);
      batch.answer(() -> command.answer().complete(outcome));
      return;
    }
    StreamConfig config = CreatePolicy.config(request, source == null ? null : source.state());
    long point = fork == null ? 0 : fork.pointOffset();
    boolean hasBytes = command.payload().bytes() > 0;
    checkRoomInCatalog();
    checkRoomForUnflushed(command.payload(), batch);
    Mutation.Created created =
        new Mutation.Created(ids.getAndIncrement(), path, config, clock.nowMillis(), point);
    Draft draft = new Draft(new Stream(created.toState(), clock.nowMillis()), /* created= */ true);
    record.clear();
    if (expired != null) {
      RecordCodec.write(new Mutation.Deleted(expired.state().streamId()), record);
    }
    RecordCodec.write(created, record);
    Mutation.Appended first = null;
    if (hasBytes || request.closed()) {
      first = mutation(draft.state(), command.payload(), request.closed(), null, null);
      RecordCodec.write(first, record);
      draft.apply(first);
    }
    long at = journals.current().add(record.contents(), inlineBytes(command.payload()));
    if (expired != null) {
      batch.onDurable(() -> unflushed.deleted(catalog.delete(expired)));
    }
    batch.onDurable(() -> unflushed.created(created.toState()));
    if (first != null) {
      settle(first, path, command.payload(), at, batch);
    }
    batch.draft(path, draft);
    long bytes = first == null ? 0 : first.bytes();
    batch.answer(() -> {
      if (bytes > 0) {
        count(bytes);
      }
      command.answer().complete(new CreateOutcome.Created(draft.state()));
    });
  }

  /** Whether a fork was made by the same request before, whatever has become of its source. */
  private boolean isRepeated(CreateRequest request, @Nullable StreamState inTheWay) {
    return inTheWay != null && compare(inTheWay, request) instanceof CreateOutcome.Exists;
  }

  private CreateOutcome compare(StreamState inTheWay, CreateRequest request) {
    CreateRequest.ForkRequest fork = request.fork();
    Stream source = fork == null ? null : catalog.find(fork.sourcePath());
    return CreatePolicy.compare(inTheWay, request, source == null ? null : source.state());
  }

  /** What keeps a path from being taken; an expired stream does only while it has forks. */
  private @Nullable StreamState inTheWay(@Nullable Draft existing, @Nullable Stream expired) {
    if (existing != null) {
      return existing.state();
    }
    return expired != null && catalog.hasForks(expired.state().streamId())
        ? expired.state().asSoftDeleted()
        : null;
  }

  private void delete(Command.Delete command, Batch batch) throws IOException {
    Stream stream = catalog.find(command.path());
    DeleteOutcome outcome;
    if (stream == null) {
      outcome = DeleteOutcome.NOT_FOUND;
    } else if (stream.state().softDeleted()) {
      outcome = DeleteOutcome.GONE;
    } else if (stream.isExpired(clock.nowMillis())) {
      remove(stream, batch);
      outcome = DeleteOutcome.NOT_FOUND;
    } else if (command.expiredOnly()) {
      outcome = DeleteOutcome.NOT_FOUND;
    } else {
      remove(stream, batch);
      outcome = DeleteOutcome.DELETED;
    }
    batch.answer(() -> command.answer().complete(outcome));
  }

  private void remove(Stream stream, Batch batch) throws IOException {
    record.clear();
    RecordCodec.write(new Mutation.Deleted(stream.state().streamId()), record);
    long _ = journals.current().add(record.contents(), NOTHING);
    batch.delete(stream.state().path());
    batch.onDurable(() -> unflushed.deleted(catalog.delete(stream)));
  }

  private static Mutation.Appended mutation(
      StreamState state,
      Payload payload,
      boolean closes,
      @Nullable String sequence,
      @Nullable ProducerTag producer) {
    return new Mutation.Appended(
        state.streamId(),
        state.tailOffset(),
        payload.bytes(),
        payload instanceof Payload.Spooled spooled ? spooled.fileId() : Mutation.IN_JOURNAL,
        closes,
        sequence,
        producer);
  }

  /**
   * Has the bytes be found, and flushed, once they are durable.
   *
   * @param at where those that travel through the WAL begin in its file
   */
  private void settle(
      Mutation.Appended append, String path, Payload payload, long at, Batch batch) {
    long walPosition = journals.current().lastPosition();
    BytesPlace place =
        append.inJournal()
            ? new BytesPlace(/* inSpool= */ false, journals.current().sequence(), at)
            : new BytesPlace(/* inSpool= */ true, append.spoolId(), 0);
    ByteBuffer inline = payload instanceof Payload.Inline held ? held.contents() : null;
    if (payload instanceof Payload.Spooled spooled) {
      batch.onDurable(spooled::keep);
    }
    batch.onDurable(() -> unflushed.appended(walPosition, path, append, place, inline));
  }

  private static ByteBuffer inlineBytes(Payload payload) {
    return payload instanceof Payload.Inline inline ? inline.contents() : NOTHING;
  }

  private void count(long bytes) {
    stats.appends.increment();
    stats.appendedBytes.add(bytes);
  }

  private @Nullable Draft draft(String path, Batch batch) {
    Draft draft = batch.draft(path);
    if (draft != null) {
      return draft;
    }
    Stream stream = find(path);
    return stream == null ? null : batch.draft(path, new Draft(stream, /* created= */ false));
  }

  private @Nullable Stream find(String path) {
    return findExpired(path) == null ? catalog.find(path) : null;
  }

  /** A stream that is in the way and that nobody can see any more. */
  private @Nullable Stream findExpired(String path) {
    Stream stream = catalog.find(path);
    return stream != null && isExpired(stream) ? stream : null;
  }

  private boolean isExpired(Stream stream) {
    return !stream.state().softDeleted() && stream.isExpired(clock.nowMillis());
  }
}
