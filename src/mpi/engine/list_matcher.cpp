#include "mpi/engine/linked_list.hpp"
#include "mpi/engine/matcher.hpp"

namespace railyard::mpi {

namespace {

Link<Unexpected>& only_link(Unexpected& message) {
    return message.links[Unexpected::all];
}

class ListMatcher final : public Matcher {
  public:
    Request* search(const Envelope& message) override {
        for (Request* r = posted_.first; r != nullptr; r = r->link.next) {
            ++visits_.posted;
            if (!takes(r->envelope, message)) continue;
            posted_.remove(*r, request_link);
            return r;
        }
        return nullptr;
    }
    void keep(Unexpected& message) override { messages_.append(message, only_link); }

    Unexpected* post(Request& receive) override {
        if (Unexpected* message = find(receive.envelope)) {
            withdraw(*message);
            return message;
        }
        posted_.append(receive, request_link);
        return nullptr;
    }
    Unexpected* find(const Envelope& wanted) override {
        for (Unexpected* m = messages_.first; m != nullptr; m = only_link(*m).next) {
            ++visits_.unexpected;
            if (takes(wanted, m->envelope())) return m;
        }
        return nullptr;
    }
    void withdraw(Unexpected& message) override { messages_.remove(message, only_link); }
    bool withdraw(Request& receive) override {
        if (receive.link.list == nullptr) return false;
        posted_.remove(receive, request_link);
        return true;
    }

  private:
    LinkedList<Request> posted_;
    LinkedList<Unexpected> messages_;
};

}  // namespace

std::unique_ptr<Matcher> make_list_matcher() {
    return std::make_unique<ListMatcher>();
}

}  // namespace railyard::mpi
