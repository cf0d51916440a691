/**
 * The log: append-only streams in files behind one journal, and what their protocol says of them.
 */
@SuppressWarnings("module") // The command is compiled later.
module dev.weir.streams {
  requires static org.jspecify;
  requires transitive dev.weir.cache;

  exports dev.weir.streams;
  exports dev.weir.streams.objects;
  exports dev.weir.streams.objects.block;
  exports dev.weir.streams.objects.directory;
  exports dev.weir.streams.protocol;
  exports dev.weir.streams.recovery to
      dev.weir.cli;
}
